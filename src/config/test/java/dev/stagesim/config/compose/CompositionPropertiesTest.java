package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.Trees;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CompositionPropertiesTest {
    private static final List<String> VALUES =
            List.of("a=9", "m.x=8", "m.n.y=7", "l.0=6", "+new.k=5", "++m.z=4", "~gone", "db.port=1", "m.o={p:2}");
    private static final List<String> GROUPS = List.of("db=pg", "+extra=one", "~srv", "exp=deep");

    private final ConfigEngine engine = new ConfigTree()
            .file(
                    "config.conf",
                    "defaults = [ _self_, { db = mysql }, { srv = web }, { exp = null } ]",
                    "a = 1, gone = 2, l = [1, 2], m { x = 1, n { y = 2 }, o { p = 1 } }")
            .file("db/mysql.conf", "port = 3306")
            .file("db/pg.conf", "port = 5432")
            .file("srv/web.conf", "w = 1")
            .file("extra/one.conf", "e = 1")
            .file("exp/deep.conf", "_package_ = _global_", "defaults = [ { override /db = pg } ]", "a = deep")
            .engine();

    private String compose(List<String> overrides) {
        return Trees.canonical(
                engine.compose(ComposeRequest.of("config", overrides)).config());
    }

    private static List<String> pick(List<String> from, int mask) {
        List<String> picked = new ArrayList<>();
        for (int i = 0; i < from.size(); i++) {
            if ((mask >> i & 1) == 1) {
                picked.add(from.get(i));
            }
        }
        return picked;
    }

    @Test
    void doesNotDependOnTheOrderOfIndependentOverrides() {
        qt().withExamples(200)
                .forAll(
                        integers().between(0, (1 << VALUES.size()) - 1),
                        integers().between(0, (1 << GROUPS.size()) - 1),
                        longs().all())
                .checkAssert((values, groups, seed) -> {
                    List<String> overrides = pick(VALUES, values);
                    overrides.addAll(pick(GROUPS, groups));
                    List<String> shuffled = new ArrayList<>(overrides);
                    Collections.shuffle(shuffled, new Random(seed));
                    assertThat(compose(shuffled)).isEqualTo(compose(overrides));
                });
    }

    @Test
    void givesTheSameTreeToAFreshEngine() {
        List<String> overrides = List.of("db=pg", "m.x=3", "+extra=one");
        String first = compose(overrides);
        compose(List.of("m.x=4"));
        assertThat(compose(overrides)).isEqualTo(first);
    }
}
