package dev.stagesim.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.Trees;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.sim.workload.RequestTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Binds and runs the presets as they are in {@code configs/}, with the arrival each one asks for. */
class PresetsTest {
    private static final Path CONFIGS = Path.of("configs");
    private static final Path HOME = Path.of("").toAbsolutePath();
    private static final Set<String> NEED_A_FILE = Set.of("burstgpt", "lengths", "mooncake", "sharegpt", "trace");

    static List<String> presets() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(CONFIGS.resolve("workload"))) {
            files.forEach(file -> names.add(file.getFileName().toString().replace(".conf", "")));
        }
        return List.copyOf(names);
    }

    @ParameterizedTest
    @MethodSource("presets")
    void everyPresetMakesRequestsOrSaysWhatItNeeds(String name) throws IOException {
        WorkloadStageSettings settings = bind(name);
        if (NEED_A_FILE.contains(name)) {
            assertThatThrownBy(() -> new WorkloadStage().requests(settings, HOME))
                    .hasMessageContaining("workload.file");
            return;
        }
        RequestTable made = new WorkloadStage().requests(settings, HOME);
        assertThat(made.size()).isBetween(8, 128);
    }

    @Test
    void spacedChatIsTheWorkloadOfTheRecording() throws IOException {
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
    void everyArrivalOptionBinds() throws IOException {
        try (Stream<Path> files = Files.list(CONFIGS.resolve("arrival"))) {
            for (Path file : files.toList()) {
                String option = file.getFileName().toString().replace(".conf", "");
                assertThat(bind("azure_conv", option).arrival()).isNotNull();
            }
        }
    }

    private static WorkloadStageSettings bind(String name) throws IOException {
        Config preset = read("workload/" + name);
        String arrival = preset.getConfigList("defaults")
                .get(0)
                .root()
                .unwrapped()
                .get("override /arrival")
                .toString();
        return bind(name, arrival);
    }

    private static WorkloadStageSettings bind(String name, String arrival) {
        MapNode tree = Trees.map(
                "workload",
                        node(read("workload/" + name)
                                .withoutPath("defaults")
                                .root()
                                .unwrapped()),
                "arrival", node(read("arrival/" + arrival).root().unwrapped()));
        return Binder.bind(tree, WorkloadStageSettings.class);
    }

    private static Config read(String config) {
        return ConfigFactory.parseFile(CONFIGS.resolve(config + ".conf").toFile())
                .resolve();
    }

    private static Node node(Object value) {
        if (value instanceof Map<?, ?> map) {
            List<Object> entries = new ArrayList<>();
            map.forEach((key, item) -> {
                entries.add(key);
                entries.add(node(item));
            });
            return Trees.map(entries.toArray());
        }
        return Trees.node(value);
    }
}
