package dev.stagesim.cli.console;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ServiceLoader;

/** Loads the implementation of a command from an optional jar, which no other command loads. */
public final class OptionalTool {
    private OptionalTool() {}

    /**
     * Returns the implementation on the class path.
     *
     * @throws StageException of kind input if the jar is missing
     */
    public static <T> T load(Class<T> tool, String command, String jar) {
        return ServiceLoader.load(tool, tool.getClassLoader())
                .findFirst()
                .orElseThrow(
                        () -> StageException.input(Problem.usage(command, "is not installed: " + jar + " is missing")
                                .hint("run ./stage " + command + " from a checkout or a release")));
    }
}
