package dev.stagesim.fuzz;

import dev.stagesim.feature.mock.HttpHarness;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All harnesses, by the name of their corpus below {@code tests-data/fuzz}. */
final class Harnesses {
    private static final Map<String, Harness> ALL = new TreeMap<>(Map.ofEntries(
            Map.entry("bundle", FileHarnesses::bundle),
            Map.entry("et", FileHarnesses::et),
            Map.entry("http", HttpHarness::requests),
            Map.entry("layers", FileHarnesses::layers),
            Map.entry("measured", FileHarnesses::measured),
            Map.entry("network", FileHarnesses::network),
            Map.entry("pytorch", FileHarnesses::pytorch),
            Map.entry("sqlite", FileHarnesses::sqlite),
            Map.entry("traces", FileHarnesses::traces),
            Map.entry("yaml", FileHarnesses::yaml),
            Map.entry("hocon", ConfigHarnesses::hocon),
            Map.entry("interpolation", ConfigHarnesses::interpolation),
            Map.entry("overrides", ConfigHarnesses::overrides)));

    private Harnesses() {}

    static Iterable<String> names() {
        return ALL.keySet();
    }

    static Harness named(String name) {
        return Optional.ofNullable(ALL.get(name))
                .orElseThrow(() -> new IllegalArgumentException("no harness " + name + "; there are " + ALL.keySet()));
    }

    /** Returns the directory of the seeds of a harness. */
    static Path corpus(String name) {
        return Path.of(System.getProperty("stagesim.home", "."), "tests-data", "fuzz", name);
    }
}
