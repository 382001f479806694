package dev.stagesim.cli.run;

import dev.stagesim.cli.console.OptionBinding;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.model.KeyNames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The options that show a configuration instead of running it. */
public final class ShowOptions {
    /** The parts that {@code --cfg} prints. */
    public enum Cfg {
        /** The composed configuration. */
        JOB,
        /** The choices of the command line: config name, options, overrides, search path. */
        STAGE,
        /** Both. */
        ALL;

        @Override
        public String toString() {
            return KeyNames.constant(this);
        }
    }

    /** The parts that {@code --info} prints. */
    public enum Info {
        ALL,
        CONFIG,
        DEFAULTS,
        DEFAULTS_TREE,
        SEARCHPATH;

        @Override
        public String toString() {
            return KeyNames.constant(this).replace('_', '-');
        }
    }

    private final OptionBinding<Cfg> cfg =
            OptionBinding.of(Cfg.class, "PART", "Print the configuration and stop: ${COMPLETION-CANDIDATES}.", "--cfg");
    private final OptionBinding<Boolean> resolve =
            OptionBinding.flag("With --cfg: replace interpolations by their values.", "--resolve");
    private final OptionBinding<Boolean> origin =
            OptionBinding.flag("With --cfg: show each value's source.", "--origin");
    private final OptionBinding<String> pkg =
            OptionBinding.of(String.class, "PATH", "With --cfg: print only the part below PATH.", "--package", "-p");
    private final OptionBinding<Info> info = new OptionBinding<>(
            OptionBinding.builder("Explain the composition and stop: ${COMPLETION-CANDIDATES}.", "--info")
                    .type(Info.class)
                    .arity("0..1")
                    .fallbackValue("all")
                    .paramLabel("TOPIC")
                    .build());

    public CommandSpec spec() {
        return OptionBinding.mixin(cfg, resolve, origin, pkg, info);
    }

    boolean isGiven() {
        return cfg.given() || info.given();
    }

    @Nullable
    Cfg cfg() {
        return cfg.orNull();
    }

    @Nullable
    public Info info() {
        return info.orNull();
    }

    public boolean resolve() {
        return resolve.given();
    }

    boolean origin() {
        return origin.given();
    }

    public String pkg() {
        return Objects.requireNonNullElse(pkg.orNull(), "");
    }

    /** Throws if an option was given that would have no effect. */
    void check() {
        if (!cfg.given()) {
            OptionRules.needs("--resolve", resolve.given(), "--cfg");
            OptionRules.needs("--origin", origin.given(), "--cfg");
            OptionRules.needs("--package", pkg.given(), "--cfg");
        }
        OptionRules.excludes("--cfg", cfg.given(), "--info", info.given());
    }
}
