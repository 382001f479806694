package dev.stagesim.config;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.grammar.Dialect;
import java.util.List;
import java.util.Optional;

/**
 * A request to compose a configuration.
 *
 * @param configName the primary config below a search root, or empty to compose only overrides and the schema
 * @param overrides the overrides, one argument each, as typed
 * @param mode whether sweeps are allowed among the overrides
 * @param dialect the dialect of overrides, composition and interpolation
 * @param schema the keys that the program supports, or empty if files may contain any key
 */
public record ComposeRequest(
        Optional<String> configName, List<String> overrides, Mode mode, Dialect dialect, Optional<KnownKeys> schema) {
    /** The treatment of sweeps. */
    public enum Mode {
        RUN, // One job: a sweep is an error.
        MULTIRUN // The common part of many jobs: overrides that are sweeps are skipped.
    }

    public ComposeRequest {
        overrides = List.copyOf(overrides);
    }

    /** Returns a request for one job of {@code configName}, in the stage dialect, without a schema. */
    public static ComposeRequest of(String configName, List<String> overrides) {
        return new ComposeRequest(Optional.of(configName), overrides, Mode.RUN, Dialect.STAGE, Optional.empty());
    }

    public ComposeRequest withMode(Mode other) {
        return new ComposeRequest(configName, overrides, other, dialect, schema);
    }

    public ComposeRequest withDialect(Dialect other) {
        return new ComposeRequest(configName, overrides, mode, other, schema);
    }

    /** Returns this request with the keys of a settings record as the schema. */
    public ComposeRequest withSchema(SettingsSchema settings) {
        return withSchema(new SchemaKeys(settings));
    }

    public ComposeRequest withSchema(KnownKeys known) {
        return new ComposeRequest(configName, overrides, mode, dialect, Optional.of(known));
    }
}
