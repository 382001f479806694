package dev.stagesim.cli;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that show a configuration instead of running it. */
final class ShowOptions {
    /** What {@code --cfg} prints. */
    enum Cfg {
        /** The composed configuration. */
        JOB,
        /** What the command line chose: config name, choices, overrides, search path. */
        STAGE,
        /** Both. */
        ALL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What {@code --info} prints. */
    enum Info {
        ALL,
        CONFIG,
        DEFAULTS,
        DEFAULTS_TREE,
        SEARCHPATH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Option(
            names = "--cfg",
            paramLabel = "PART",
            description = "Print the configuration and stop: ${COMPLETION-CANDIDATES}.")
    private @Nullable Cfg cfg;

    @Option(names = "--resolve", description = "With --cfg: replace interpolations by their values.")
    private boolean resolve;

    @Option(names = "--origin", description = "With --cfg: show each value's source.")
    private boolean origin;

    @Option(
            names = {"--package", "-p"},
            paramLabel = "PATH",
            description = "With --cfg: print only what is below PATH.")
    private @Nullable String pkg;

    @Option(
            names = "--info",
            arity = "0..1",
            fallbackValue = "all",
            paramLabel = "TOPIC",
            description = "Explain the composition and stop: ${COMPLETION-CANDIDATES}.")
    private @Nullable Info info;

    boolean asked() {
        return cfg != null || info != null;
    }

    @Nullable
    Cfg cfg() {
        return cfg;
    }

    @Nullable
    Info info() {
        return info;
    }

    boolean resolve() {
        return resolve;
    }

    boolean origin() {
        return origin;
    }

    String pkg() {
        return Objects.requireNonNullElse(pkg, "");
    }

    /** Fails when an option was given that would have no effect. */
    void check() {
        if (cfg == null) {
            Usage.needs("--resolve", resolve, "--cfg");
            Usage.needs("--origin", origin, "--cfg");
            Usage.needs("--package", pkg != null, "--cfg");
        }
        Usage.apart("--cfg", cfg != null, "--info", info != null);
    }
}
