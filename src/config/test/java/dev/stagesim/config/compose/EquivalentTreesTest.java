package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.Trees;
import dev.stagesim.config.compose.source.SearchRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each directory contains several configuration trees that must compose to the same configuration. */
class EquivalentTreesTest {
    private static final Path ALL = Path.of(System.getProperty("stagesim.home", "."), "tests-data/config/equivalent");

    @TestFactory
    List<DynamicTest> composesToTheSameConfiguration() throws IOException {
        return directories(ALL).stream()
                .map(each -> DynamicTest.dynamicTest(each.getFileName().toString(), () -> compare(each)))
                .toList();
    }

    private static void compare(Path spellings) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        for (Path tree : directories(spellings)) {
            ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", tree)));
            String text = Trees.canonical(
                    engine.compose(ComposeRequest.of("config", List.of())).config());
            texts.put(tree.getFileName().toString(), text);
        }
        assertThat(texts).hasSizeGreaterThan(1);
        assertThat(texts.values()).containsOnly(texts.get("a"));
    }

    private static List<Path> directories(Path parent) throws IOException {
        try (Stream<Path> children = Files.list(parent)) {
            return children.filter(Files::isDirectory).sorted().toList();
        }
    }
}
