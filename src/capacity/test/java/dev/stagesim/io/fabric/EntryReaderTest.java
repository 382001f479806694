package dev.stagesim.io.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.capacity.QueueProfile;
import org.junit.jupiter.api.Test;

final class EntryReaderTest {
    private static final String WHOLE =
            """
            name: chat
            framework: vllm
            model_family: llama
            params: {hidden_size: 64, n_layers: 2, vocab_size: 100}
            parallelism: {tp: 2, pp: 1, dp: 3}
            sequence: {prompt: 100, generate: 20}
            precision: {weights: fp8, activations: bf16}
            dataloader: replay
            duration_minutes: 30
            track: best
            runtime_tuning: {microbatch: 4, virt: sriov, own: 1}
            colour: blue
            schedule:
              default_request_profile: peak
              phases:
                - {name: a, duration_minutes: 5, arrival: {requests_per_sec: 2.5, dp_override: 7}}
                - {request_profile: low, tokens_scale: 0.5, overrides: {sequence: {prompt: 50}}}
            """;

    private static CatalogEntry read(String yaml) {
        return EntryReader.read(
                (JsonValue.Obj) Yaml.parse(yaml, "w.yaml", Yaml.Rules.PYTHON).value(), "w.yaml");
    }

    @Test
    void readsPhasesWithTheirOverrides() {
        CatalogEntry entry = read(WHOLE);
        assertThat(entry.isServed()).isTrue();
        assertThat(entry.best()).isTrue();
        assertThat(entry.tuning()).isEqualTo(new CatalogEntry.Tuning(4, false, false, true, "IB"));
        CatalogEntry.Phase first = entry.phases().get(0);
        assertThat(first.rate()).contains(2.5);
        assertThat(first.copies()).isEqualTo(7);
        assertThat(first.profile()).isEqualTo(QueueProfile.PEAK);
        CatalogEntry.Phase second = entry.phases().get(1);
        assertThat(second.name()).isEqualTo("phase_2");
        assertThat(second.prompt()).isEqualTo(50);
        assertThat(second.minutes()).isEqualTo(30);
        assertThat(second.arrivalVariation()).isEqualTo(0.8);
        assertThat(entry.minutes()).isEqualTo(35);
        assertThat(entry.tree().get("colour")).contains(JsonValue.of("blue"));
    }

    @Test
    void createsOnePhaseWithoutASchedule() {
        assertThat(read(WHOLE.substring(0, WHOLE.indexOf("schedule:"))).phases())
                .hasSize(1);
    }

    @Test
    void reportsAllMissingAndInvalidKeysAtOnce() {
        String poor = WHOLE.replace("track: best", "track: fast")
                .replace("name: chat\n", "")
                .replace("vocab_size: 100", "vocab: 100")
                .replace("tp: 2", "tp: zero")
                .replace("virt: sriov", "virt: maybe")
                .replace("peak", "rush")
                .replace("duration_minutes: 5", "duration_minutes: -5")
                .replace("generate: 20", "generate: 1.5");
        StageException refused = catchThrowableOfType(StageException.class, () -> read(poor));
        assertThat(refused.problems())
                .extracting(Problem::render)
                .anyMatch(text -> text.contains("'name' is missing"))
                .anyMatch(text -> text.contains("'params.vocab_size' is missing"))
                .anyMatch(text -> text.contains("track") && text.contains("parity or best"))
                .anyMatch(text -> text.contains("parallelism.tp") && text.contains("zero"))
                .anyMatch(text -> text.contains("runtime_tuning.virt"))
                .anyMatch(text -> text.contains("default_request_profile"))
                .anyMatch(text -> text.contains("schedule.phases.0.duration_minutes"))
                .anyMatch(text -> text.contains("sequence.generate"))
                .hasSize(8);
    }
}
