package dev.stagesim.cli.console;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Creates the objects that annotations of commands name, with the parser's factory. It is loaded only if an annotation
 * names one, because it searches the class path for Groovy first and so opens all jars.
 */
public record LazyFactory() implements IFactory {
    private static final LazyFactory INSTANCE = new LazyFactory();

    @Override
    public <K> K create(Class<K> type) throws Exception {
        return CommandLine.defaultFactory().create(type);
    }

    /** Returns the empty model of a command, or of a mixin if {@code command} is null. */
    public static CommandSpec spec(@Nullable Object command) {
        return CommandSpec.wrapWithoutInspection(command, INSTANCE);
    }

    /** Returns the parser of a command. */
    public static CommandLine line(CommandSpec spec) {
        return new CommandLine(spec, INSTANCE);
    }
}
