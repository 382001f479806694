package dev.stagesim.cli;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

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

    private final Opt<Cfg> cfg =
            Opt.of(Cfg.class, "PART", "Print the configuration and stop: ${COMPLETION-CANDIDATES}.", "--cfg");
    private final Opt<Boolean> resolve = Opt.flag("With --cfg: replace interpolations by their values.", "--resolve");
    private final Opt<Boolean> origin = Opt.flag("With --cfg: show each value's source.", "--origin");
    private final Opt<String> pkg =
            Opt.of(String.class, "PATH", "With --cfg: print only what is below PATH.", "--package", "-p");
    private final Opt<Info> info =
            new Opt<>(Opt.builder("Explain the composition and stop: ${COMPLETION-CANDIDATES}.", "--info")
                    .type(Info.class)
                    .arity("0..1")
                    .fallbackValue("all")
                    .paramLabel("TOPIC")
                    .build());

    CommandSpec spec() {
        return Opt.mixin(cfg, resolve, origin, pkg, info);
    }

    boolean asked() {
        return cfg.given() || info.given();
    }

    @Nullable
    Cfg cfg() {
        return cfg.orNull();
    }

    @Nullable
    Info info() {
        return info.orNull();
    }

    boolean resolve() {
        return resolve.given();
    }

    boolean origin() {
        return origin.given();
    }

    String pkg() {
        return Objects.requireNonNullElse(pkg.orNull(), "");
    }

    /** Fails when an option was given that would have no effect. */
    void check() {
        if (!cfg.given()) {
            Usage.needs("--resolve", resolve.given(), "--cfg");
            Usage.needs("--origin", origin.given(), "--cfg");
            Usage.needs("--package", pkg.given(), "--cfg");
        }
        Usage.apart("--cfg", cfg.given(), "--info", info.given());
    }
}
