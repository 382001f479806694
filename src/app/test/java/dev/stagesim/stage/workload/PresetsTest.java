package dev.stagesim.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.systolic.MnkWorkload;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Binds and runs the presets of {@code configs/} with the arrival process of each. */
class PresetsTest {
    private static final Path CONFIGS = Path.of("configs");
    private static final Path HOME = Path.of("").toAbsolutePath();
    private static final Set<String> FILE_PRESETS = Set.of("burstgpt", "lengths", "mooncake", "sharegpt", "trace");

    static List<String> presets() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(CONFIGS.resolve("workload"))) {
            files.filter(Files::isRegularFile)
                    .forEach(file -> names.add(file.getFileName().toString().replace(".conf", "")));
        }
        return List.copyOf(names);
    }

    @ParameterizedTest
    @MethodSource("presets")
    void createsRequestsOrNamesTheMissingFile(String name) throws IOException {
        WorkloadStageSettings settings = bind(name);
        if (!(settings.workload() instanceof ServingWorkload)) {
            // Other tests cover workloads of other kinds.
            assertThat(settings.workload() instanceof MnkWorkload).isEqualTo(name.startsWith("mnk_"));
            return;
        }
        if (FILE_PRESETS.contains(name)) {
            assertThatThrownBy(() -> new WorkloadStage().requests(settings, HOME))
                    .hasMessageContaining("workload.file");
            return;
        }
        RequestTable made = new WorkloadStage().requests(settings, HOME);
        assertThat(made.size()).isBetween(8, 256);
    }

    @Test
    void reproducesTheWorkloadOfTheRecording() throws IOException {
        RequestTable made = new WorkloadStage().requests(bind("spaced_chat"), HOME);
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < made.size(); i++) {
            rows.add(made.arrivalNs(i) / 1_000_000_000 + ":" + made.prefill(i) + ":" + made.decode(i));
        }
        assertThat(rows)
                .containsExactly(
                        "0:9:64", "2:9:64", "4:14:64", "6:13:64", "8:13:64", "10:11:64", "12:7:64", "14:10:64");
    }

    @Test
    void bindsEveryArrivalOption() throws IOException {
        try (Stream<Path> files = Files.list(CONFIGS.resolve("arrival"))) {
            for (Path file : files.toList()) {
                String option = file.getFileName().toString().replace(".conf", "");
                assertThat(compose("arrival=" + option).arrival()).isNotNull();
            }
        }
    }

    @Test
    void prefersOverridesToThePreset() {
        WorkloadStageSettings settings = compose("workload=spaced_chat", "arrival=gamma", "arrival.qps=5");
        assertThat(settings.arrival()).isEqualTo(new ArrivalSettings.Gamma(5.0, 2.0));
        assertThat(compose("arrival.qps=5").arrival()).isEqualTo(new ArrivalSettings.Poisson(5.0));
    }

    @Test
    void replacesTheLengthsOfThePreset() {
        WorkloadStageSettings settings = compose("workload.lengths.kind=fixed", "workload.lengths.prefill_tokens=7");
        assertThat(((ServingWorkload) settings.workload()).lengths()).isEqualTo(new LengthSettings.Fixed(7, 512));
    }

    private static WorkloadStageSettings bind(String preset) {
        return compose("workload=" + preset);
    }

    private static WorkloadStageSettings compose(String... overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", CONFIGS)));
        ComposeRequest request = ComposeRequest.of("workload", List.of(overrides))
                .withSchema(new SchemaKeys(SettingsSchema.of(WorkloadStageSettings.class)));
        return Binder.bind(engine.compose(request).config(), WorkloadStageSettings.class);
    }
}
