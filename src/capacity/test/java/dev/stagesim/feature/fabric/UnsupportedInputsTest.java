package dev.stagesim.feature.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.Yaml;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UnsupportedInputsTest {
    private static final String WORKLOAD =
            """
            name: chat
            framework: vllm
            model_family: llama
            params: {hidden_size: 64, n_layers: 2, vocab_size: 100}
            parallelism: {tp: 1, pp: 1, dp: 1}
            sequence: {prompt: 100, generate: 20}
            precision: {weights: bf16, activations: bf16}
            dataloader: replay
            duration_minutes: 30
            track: parity
            colour: blue
            """;

    private static List<String> in(String yaml) {
        return in(yaml, true);
    }

    private static List<String> in(String yaml, boolean closed) {
        return UnsupportedInputs.in(
                EntryReader.read(
                        (JsonValue.Obj)
                                Yaml.parse(yaml, "w.yaml", Yaml.Rules.PYTHON).value(),
                        "w.yaml"),
                closed);
    }

    @Test
    void acceptsAdditionalKeysAtTheTopLevel() {
        assertThat(in(WORKLOAD)).isEmpty();
    }

    @Test
    void reportsMisspelledAndUnusedKeysOfPhases() {
        assertThat(
                        in(
                                WORKLOAD
                                        + """
                        runtime_tuning: {microbatches: 2}
                        schedule:
                          phases:
                            - name: a
                              minutes: 3
                              duration_minute: 5
                              arrival: {requests_per_sec: 2, service_cv: 1, dp_override: 3, servers: 4}
                              overrides: {precision: {weights: fp8}, parallelism: {tp: 2}}
                        """))
                .containsExactly(
                        "phase a: arrival.servers has an effect only with compat=atlas",
                        "phase a: arrival.service_cv has an effect only with compat=atlas; service times follow from the model",
                        "runtime_tuning.microbatches is kept but has no effect; did you mean microbatch?",
                        "schedule.phases.0.minutes is kept but has no effect; did you mean duration_minutes?",
                        "schedule.phases.0.duration_minute is kept but has no effect; did you mean duration_minutes?",
                        "schedule.phases.0.arrival.dp_override has no effect with requests_per_sec",
                        "schedule.phases.0.overrides.precision is kept but has no effect",
                        "schedule.phases.0.overrides.parallelism.tp is kept but has no effect; did you mean dp?");
    }

    @Test
    void reportsInputsOfTheClosedFormWhenASimulationIsTheSource() {
        String tuned = WORKLOAD + "runtime_tuning: {microbatch: 2, cuda_graphs: true}\n";
        assertThat(in(tuned, false))
                .containsExactly(
                        "runtime_tuning.microbatch has an effect only with source=semi_empirical or compat=atlas;"
                                + " scheduler sets the batches",
                        "runtime_tuning.cuda_graphs has an effect only with source=semi_empirical or compat=atlas;"
                                + " scheduler sets the batches");
        assertThat(in(tuned.replace("generate: 20", "generate: 0"), false))
                .containsExactly(
                        "runtime_tuning.cuda_graphs has an effect only with source=semi_empirical or compat=atlas");
    }

    @Test
    void reportsInputsOfServingWhenTheWorkloadIsTraining() {
        assertThat(
                        in(
                                WORKLOAD.replace("generate: 20", "generate: 0")
                                        + """
                        schedule:
                          phases:
                            - {request_profile: spike, arrival: {requests_per_sec: 2}}
                        """))
                .containsExactly(
                        "schedule.phases.0.arrival has no effect: a training workload serves no requests",
                        "schedule.phases.0.request_profile has no effect: a training workload serves no requests");
    }
}
