package dev.stagesim.cli;

import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Jvm;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** What the launcher has to know of commands, one line each; the first that fits holds. */
final class LaunchRules {
    /** The argument that asks for them. */
    static final String FLAG = "--launch-rules";

    /** Stands for no command at all. */
    private static final String NONE = "-";

    private static final List<String> SHORT =
            List.of(NONE, "-h", "--help", "-V", "--version", "help", "config", "runs", "complete", "completion");
    private static final List<String> VERIFY = List.of("stagesim-verify.jar");
    private static final List<String> TABLE = List.of("stagesim-table.jar", "lib-table/*.jar");

    private LaunchRules() {}

    static String text(StageRegistry registry) {
        Stream<String> stages = registry.stages().stream().flatMap(stage -> stage.jvm().stream()
                .map(rule -> rule.jvm().line(stage.spec().name(), rule.word(), List.of())));
        Stream<String> commands = Stream.concat(
                SHORT.stream().map(command -> Jvm.SHORT.line(command, "", List.of())),
                Stream.of(
                        Jvm.USUAL.line("verify", "", VERIFY),
                        Jvm.USUAL.line("fidelity", "", VERIFY),
                        Jvm.USUAL.line("table", "", TABLE),
                        Jvm.USUAL.line("studio", "", TABLE),
                        Jvm.USUAL.line("*", "", List.of())));
        Stream<String> shown = Stream.of(Jvm.SHORT.line("*", " --cfg", List.of()));
        return String.join(
                "\n",
                Stream.of(shown, stages, commands).flatMap(Function.identity()).toList());
    }
}
