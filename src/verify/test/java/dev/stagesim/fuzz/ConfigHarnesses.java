package dev.stagesim.fuzz;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.ConfigText;
import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.Trees;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.sweep.SweepOptions;
import dev.stagesim.config.sweep.SweepPlan;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/** Overrides, interpolations and files of configurations. */
final class ConfigHarnesses {
    private static final Resolvers RESOLVERS = Resolvers.standard(
            new ResolverContext(Map.of("HOME", "/home/me"), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty()));
    private static final ConfigEngine ENGINE = new ConfigTree()
            .file("config.conf", "defaults = [{ db = a }, _self_]", "seed = 1", "l = [1, 2, { k = v }]", "d.e.f = x")
            .file("config.conf", "opt = null", "must = \"???\"", "ref = \"${d.e}\"")
            .file("db/a.conf", "host = h", "port = 1")
            .file("db/b.conf", "host = \"${seed}\"", "port = 2")
            .engine();

    private ConfigHarnesses() {}

    /** Parses each line as an override of a small configuration. */
    static void overrides(byte[] input) {
        List<String> words = text(input).lines().toList();
        for (Dialect dialect : Dialect.values()) {
            attempt(() ->
                    resolve(ENGINE.compose(ComposeRequest.of("config", words).withDialect(dialect))));
            attempt(() -> {
                List<ConfigOverride> overrides = OverrideParser.parseAll(words, dialect);
                SweepPlan plan =
                        SweepPlan.of(overrides, SweepOptions.of(ENGINE::options).withDialect(dialect));
                if (plan.size() > 0) {
                    OverrideParser.parseAll(plan.job(plan.size() - 1).overrides(), dialect);
                }
            });
        }
    }

    /** Parses the text as a value of a small configuration. */
    static void interpolation(byte[] input) {
        MapNode config = ConfigFileReader.parse("a { b = 1, l = [x, { y = z }], n = null }\nm = \"???\"", "seed")
                .body()
                .with("x", MapNode.of(Map.of("y", ScalarNode.of(text(input), Origin.UNKNOWN)), Origin.UNKNOWN));
        for (Dialect dialect : Dialect.values()) {
            attempt(() -> Interpolator.of(config, RESOLVERS, dialect).value("x.y"));
            attempt(() -> Interpolator.of(config, RESOLVERS, dialect).resolve());
        }
    }

    /** Parses the text as a file. */
    static void hocon(byte[] input) {
        String text = text(input);
        attempt(() -> ConfigFileReader.parse(text, "input.conf"));
        attempt(() -> resolve(new ConfigTree()
                .file("config.conf", text)
                .file("db/a.conf", "host = h")
                .compose()));
    }

    private static void resolve(Composition composition) {
        MapNode resolved = composition.resolved(RESOLVERS);
        ConfigText.hocon(resolved, true);
        Trees.canonical(resolved);
    }

    private static String text(byte[] input) {
        return new String(input, StandardCharsets.UTF_8);
    }

    /** Continues after rejected input, so that each input reaches all readers. */
    private static void attempt(Runnable reading) {
        try {
            reading.run();
        } catch (StageException wrong) {
            if (wrong.kind() != StageException.Kind.INPUT) {
                throw wrong;
            }
        }
    }
}
