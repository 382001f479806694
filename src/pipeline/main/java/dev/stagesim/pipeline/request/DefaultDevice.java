package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The device of a run with arguments that choose none. */
final class DefaultDevice {
    private static final String GROUP = "hardware";

    private DefaultDevice() {}

    /** Returns that a run uses the default device; empty if the arguments choose one, or if the run needs none. */
    static Optional<String> note(List<String> words, Map<String, Optional<String>> choices, MapNode config) {
        // the suite of workloads runs on this machine
        boolean isMeasured = choices.getOrDefault("bench", Optional.empty())
                .filter(bench -> !bench.equals("none"))
                .isPresent();
        boolean isCompared = sets(words, "sim.dir") && sets(words, "real.dir");
        String device =
                Paths.get(config, List.of(GROUP, "name")) instanceof ScalarNode name ? " (" + name.text() + ")" : "";
        boolean isChosen = sets(words, GROUP);
        return isChosen || isMeasured || isCompared
                ? Optional.empty()
                : choices.getOrDefault(GROUP, Optional.empty())
                        .map(option -> GROUP + "=" + option + device
                                + (sets(words, "real.file")
                                        ? " is assumed: real.file does not name the device"
                                        : " is the default"));
    }

    private static boolean sets(List<String> words, String key) {
        return words.stream().anyMatch(word -> Sections.key(word).equals(key));
    }
}
