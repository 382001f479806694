package dev.stagesim.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option and what was given for it.
 *
 * <p>Options of stages are declared with this and without annotations: the parser takes longer to read those than a short
 * command to do its work.
 */
record Opt<T>(OptionSpec spec) {
    /** One that takes no value. */
    static Opt<Boolean> flag(String doc, String... names) {
        return new Opt<>(flagBuilder(doc, names).build());
    }

    static <T> Opt<T> of(Class<T> type, String label, String doc, String... names) {
        return new Opt<>(builder(doc, names).type(type).paramLabel(label).build());
    }

    /** One that may be repeated. */
    static Opt<List<Path>> paths(String label, String doc, String... names) {
        return new Opt<>(builder(doc, names)
                .type(List.class)
                .auxiliaryTypes(Path.class)
                .paramLabel(label)
                .build());
    }

    /** Errors call it by its first name. */
    static OptionSpec.Builder flagBuilder(String doc, String... names) {
        return builder(doc, names).type(boolean.class).paramLabel(names[0]);
    }

    static OptionSpec.Builder builder(String doc, String... names) {
        return OptionSpec.builder(names).description(doc);
    }

    /** The options every command has: the parser acts on the one, the whole command line is searched for the other. */
    static CommandSpec common() {
        return CommandSpec.create()
                .addOption(flagBuilder("Show this help.", "--help", "-h")
                        .usageHelp(true)
                        .build())
                .addOption(flagBuilder("Print stack traces of failures.", "--debug")
                        .build());
    }

    /** Options for commands to mix in. */
    static CommandSpec mixin(Opt<?>... options) {
        CommandSpec spec = CommandSpec.create();
        for (Opt<?> option : options) {
            spec.addOption(option.spec);
        }
        return spec;
    }

    /** Null when it was not given. */
    @Nullable
    T orNull() {
        return spec.getValue();
    }

    /** Of an option that was given. */
    T value() {
        return Objects.requireNonNull(orNull());
    }

    /** As if it had been given. */
    void set(T value) {
        spec.setValue(value);
    }

    boolean given() {
        T value = orNull();
        return value != null && !Boolean.FALSE.equals(value);
    }
}
