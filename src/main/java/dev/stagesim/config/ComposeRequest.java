package dev.stagesim.config;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.KnownKeys;
import dev.stagesim.config.grammar.Dialect;
import java.util.List;
import java.util.Optional;

/**
 * What to compose.
 *
 * @param configName the primary config below a search root; empty for none (then only overrides and the schema count)
 * @param overrides one override per word, as typed
 * @param mode whether sweeps are allowed among the overrides
 * @param dialect whose rules apply where ours deliberately differ
 * @param schema the keys the program understands; empty when any key of the files is legal
 */
public record ComposeRequest(
        Optional<String> configName, List<String> overrides, Mode mode, Dialect dialect, Optional<KnownKeys> schema) {
    /** How sweeps are treated. */
    public enum Mode {
        RUN, // One job: a sweep is an error.
        MULTIRUN // The common part of many jobs: overrides that are sweeps are skipped.
    }

    public ComposeRequest {
        overrides = List.copyOf(overrides);
    }

    /** One job of {@code configName}, in our own mode, without a schema. */
    public static ComposeRequest of(String configName, List<String> overrides) {
        return new ComposeRequest(Optional.of(configName), overrides, Mode.RUN, Dialect.STAGE, Optional.empty());
    }

    public ComposeRequest withMode(Mode other) {
        return new ComposeRequest(configName, overrides, other, dialect, schema);
    }

    public ComposeRequest withDialect(Dialect other) {
        return new ComposeRequest(configName, overrides, mode, other, schema);
    }

    /** With the keys of a settings record as the schema. */
    public ComposeRequest withSchema(SettingsSchema settings) {
        return withSchema(new SchemaKeys(settings));
    }

    public ComposeRequest withSchema(KnownKeys known) {
        return new ComposeRequest(configName, overrides, mode, dialect, Optional.of(known));
    }
}
