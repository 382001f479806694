package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The help fits on a screen, and its keys and examples are valid. */
final class StageHelpTest {
    private static final int MAX_WIDTH = 120;

    static Stream<String> stages() {
        return StageRegistry.standard().names().stream();
    }

    private static Stage<?> stage(String name) {
        return StageRegistry.standard().find(name).orElseThrow();
    }

    @Test
    void listsTheCommandsOnOneScreen() {
        CliTester help = CliTester.run("--help");
        assertThat(help.lines()).hasSizeLessThanOrEqualTo(StageHelp.MAX_LINES);
        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
        assertThat(CliTester.commands()).allMatch(help.out()::contains);
    }

    @ParameterizedTest
    @MethodSource("stages")
    void listsTheKeysOfAStageOnOneScreen(String stage) {
        CliTester help = CliTester.run(stage, "--help");
        assertThat(help.exit()).isZero();
        assertThat(help.lines()).hasSizeLessThanOrEqualTo(StageHelp.MAX_LINES);
        assertThat(help.lines()).allMatch(line -> line.length() <= MAX_WIDTH);
        assertThat(help.lines().size()).as("keys of %s in help.txt", stage).isGreaterThanOrEqualTo(8);
        assertThat(CliTester.run(stage, "--help", "--all").out())
                .contains("--config-snapshot")
                .contains("Groups with --multirun:");
    }

    @ParameterizedTest
    @MethodSource("stages")
    void describesOnlyKeysOfTheStage(String name) {
        StageHelp.Page page = StageHelp.page(name);
        SettingsSchema schema = SettingsSchema.of(stage(name).spec().settings());
        assertThat(page.keys())
                .hasSizeLessThanOrEqualTo(StageHelp.MAX_KEYS)
                .allMatch(
                        key -> schema.isKnown(key) || ShortKeys.of(stage(name)).containsKey(key))
                .allMatch(page.descriptions()::containsKey);
    }

    @ParameterizedTest
    @MethodSource("stages")
    void hasValidExamples(String name) {
        StageHelp.Page page = StageHelp.page(name);
        for (String example : page.examples()) {
            List<String> words =
                    new ArrayList<>(List.of(example.replace("'", "").split(" ")));
            assertThat(words.remove(0)).isEqualTo("stage");
            if (!example.contains("...")) {
                words.add("--dry-run");
                CliTester run = CliTester.run(words.toArray(String[]::new));
                assertThat(run.exit()).as(example + "\n" + run.err()).isZero();
            }
        }
    }

    @Test
    void rejectsAllWithoutHelp() {
        CliTester run = CliTester.run("compare", "--all");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("has no effect without --help");
    }
}
