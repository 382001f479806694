package dev.stagesim.cli.console;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option and its value.
 *
 * <p>Options of stages are declared with this class instead of annotations, because the parser takes longer to read
 * annotations than a short command takes to run.
 */
public record OptionBinding<T>(OptionSpec spec) {
    /** Returns an option without a value. */
    public static OptionBinding<Boolean> flag(String doc, String... names) {
        return new OptionBinding<>(flagBuilder(doc, names).build());
    }

    public static <T> OptionBinding<T> of(Class<T> type, String label, String doc, String... names) {
        return new OptionBinding<>(
                builder(doc, names).type(type).paramLabel(label).build());
    }

    /** Returns an option that may be repeated. */
    public static OptionBinding<List<Path>> paths(String label, String doc, String... names) {
        return new OptionBinding<>(builder(doc, names)
                .type(List.class)
                .auxiliaryTypes(Path.class)
                .paramLabel(label)
                .build());
    }

    /** Error messages use the option's first name. */
    public static OptionSpec.Builder flagBuilder(String doc, String... names) {
        return builder(doc, names).type(boolean.class).paramLabel(names[0]);
    }

    public static OptionSpec.Builder builder(String doc, String... names) {
        return OptionSpec.builder(names).description(doc);
    }

    /**
     * Returns the options of every command: {@code --help}, which the parser handles, and {@code --debug}, which is
     * searched in the whole command line.
     */
    public static CommandSpec common() {
        return LazyFactory.spec(null)
                .addOption(flagBuilder("Show this help.", "--help", "-h")
                        .usageHelp(true)
                        .build())
                .addOption(flagBuilder("Print stack traces of failures.", "--debug")
                        .build());
    }

    /** Returns a mixin with the options. */
    public static CommandSpec mixin(OptionBinding<?>... options) {
        CommandSpec spec = LazyFactory.spec(null);
        for (OptionBinding<?> option : options) {
            spec.addOption(option.spec);
        }
        return spec;
    }

    /** Returns the value, or null if the option was not given. */
    @Nullable
    public T orNull() {
        return spec.getValue();
    }

    /** Returns the value of an option that was given. */
    public T value() {
        return Objects.requireNonNull(orNull());
    }

    /** Sets the value as if the option had been given. */
    public void set(T value) {
        spec.setValue(value);
    }

    public boolean given() {
        T value = orNull();
        return value != null && !Boolean.FALSE.equals(value);
    }
}
