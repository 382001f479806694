package dev.stagesim.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Common additions are named only by their own files and one registry. */
@Tag("acceptance")
final class AdditionsTest {
    /** Returns the text of each file by its path below its package root. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (Path module : Product.modules()) {
            Path top = module.resolve("main/java/dev/stagesim");
            for (Path file : Product.sources(top)) {
                sources.put(top.relativize(file).toString().replace(File.separatorChar, '/'), text(file));
            }
        }
        return sources;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a collective        | sim/collective/procedure/Algorithm.java   | new (\\w+Procedure)\\( | 3",
                "a congestion control| sim/network/packet/congestion/CongestionSpec.java | \\b([A-Z]\\w+)\\.Spec  | 5",
                "a deployment format | feature/plan/deploy/DeploymentFormats.java   | new (\\w+Format)\\(    | 4",
                "a measured format   | io/measured/formats/ResultFormats.java    | new (\\w+Format)\\(    | 20",
                "a scheduler         | sim/serving/replica/SchedulingPolicies.java| new (\\w+Scheduler)\\( | 5"
            })
    void namesAdditionsInOneRegistry(String what, String registry, String named, int min) throws IOException {
        Map<String, String> sources = sources();
        TreeSet<String> names = Pattern.compile(named)
                .matcher(sources.get(registry))
                .results()
                .map((MatchResult source) -> source.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names).as(what).hasSizeGreaterThanOrEqualTo(min);
        for (String name : names) {
            Pattern word = Pattern.compile("\\b" + name + "\\b");
            List<String> users = sources.entrySet().stream()
                    .filter(source -> word.matcher(source.getValue().replaceAll("(?m)^\\s*(\\*|//|/\\*).*", ""))
                            .find())
                    .map(Map.Entry::getKey)
                    .filter(source -> !source.endsWith("/" + name + ".java"))
                    .toList();
            assertThat(users).as("files that name " + name).containsExactly(registry);
        }
    }
}
