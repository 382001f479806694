package dev.stagesim.config.interp;

import static dev.stagesim.config.bind.Trees.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import dev.stagesim.config.bind.Trees;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterpolatorTest {
    private static final Resolvers RESOLVERS = Resolvers.standard(new ResolverContext(
            Map.of("HOME_DIR", "/home", "COUNT", "5"),
            ZonedDateTime.of(2026, 3, 4, 5, 6, 7, 89_000, ZoneOffset.UTC),
            map("name", "compare", "job", map("num", 3))));

    private static final MapNode BASE = map(
            "a",
            1,
            "n",
            Trees.NULL,
            "t",
            true,
            "f",
            0.5,
            "k",
            "x",
            "idx",
            1,
            "l",
            List.of(10, 20),
            "d",
            map("x", 7, "y", List.of("p", "${a}")),
            "must",
            "???");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x${n}|xnull",
                "x${t}|xtrue",
                "x${f}|x0.5",
                "x${l}|x[10, 20]",
                "x${d}|x{\"x\": 7, \"y\": [\"p\", 1]}",
                "${l[${idx}]}|20",
                "${oc.env:NOPE,true}|true",
                "${oc.env:HOME_DIR}/x|/home/x",
                "${oc.decode:${oc.env:COUNT}}|5",
                "${oc.decode:'[1,${a}]'}|[1, 1]",
                "${oc.select:é,né#1}|né#1",
                "${stage:job.num}|3",
                "${stage:name}-${now:%Y-%m-%d_%H:%M:%S}|compare-2026-03-04_05:06:07",
                "${oc.dict.keys:d}|[x, y]",
                "${oc.dict.values:d}|[7, [p, 1]]"
            })
    void evaluatesInTheDefaultDialect(String expression, String expected) {
        assertThat(plain(Interpolator.of(BASE.with("v", Trees.node(expression)), RESOLVERS)
                        .value("v")))
                .isEqualTo(expected);
    }

    @Test
    void embedsPythonTextOnlyWhenCompatible() {
        MapNode tree = BASE.with("v", Trees.node("${n} ${t} ${d}"));

        assertThat(plain(Interpolator.of(tree, RESOLVERS, Dialect.HYDRA).value("v")))
                .isEqualTo("None True {'x': 7, 'y': ['p', '${a}']}");
    }

    @Test
    void resolvesTheWholeTreeAndKeepsOriginsOfTheExpressions() {
        ScalarNode expression = ScalarNode.of("${l.0}", Origin.override(3, "v=${l.0}"));

        MapNode resolved =
                Interpolator.of(BASE.with("v", expression), RESOLVERS).resolve();

        assertThat(resolved.get("v")).isInstanceOfSatisfying(ScalarNode.class, value -> {
            assertThat(value.kind()).isEqualTo(ScalarNode.Kind.INT);
            assertThat(value.text()).isEqualTo("10");
            assertThat(value.origin().describe()).isEqualTo("override #3 'v=${l.0}'");
        });
        assertThat(resolved.get("l")).isSameAs(BASE.get("l"));
    }

    @Test
    void keepsOriginsInCopiesOfSections() {
        MapNode card = MapNode.of(
                Map.of("rates", new ListNode(List.of(), Origin.file("card.conf", 2))), Origin.file("card.conf", 1));
        ScalarNode reference = ScalarNode.of("${card}", Origin.file("job.conf", 9));
        ScalarNode ofList = ScalarNode.of("${card.rates}", Origin.file("job.conf", 10));

        MapNode resolved = Interpolator.of(
                        BASE.with("card", card).with("copy", reference).with("list", ofList), RESOLVERS)
                .resolve();

        MapNode copy = (MapNode) resolved.get("copy");
        assertThat(copy.get("rates").origin()).isEqualTo(Origin.file("card.conf", 2));
        assertThat(resolved.get("list").origin()).isEqualTo(Origin.file("job.conf", 10));
    }

    @Test
    void treatsReferencesToMissingValuesAsMissing() {
        MapNode resolved = Interpolator.of(BASE.with("v", Trees.node("x${must}")), RESOLVERS)
                .resolve();

        assertThat(Trees.leaf(resolved, "v").isMissing()).isTrue();
        assertThat(Trees.leaf(resolved, "v").previous()).isEqualTo(Trees.node("x${must}"));
    }

    @Test
    void reportsEveryFailureOnceAtItsSource() {
        MapNode tree = BASE.with("p", Trees.node("${d.xx}"))
                .with("q", Trees.node("${p}/x"))
                .with("r", Trees.node("${oc.envv:A}"))
                .with("s", Trees.node("${a"));

        StageException error = catchThrowableOfType(
                StageException.class, () -> Interpolator.of(tree, RESOLVERS).resolve());

        assertThat(error.problems().stream().map(problem -> problem.where() + ": " + problem.what()))
                .containsExactly(
                        "p: key 'd.xx' not found",
                        "r: there is no resolver 'oc.envv'",
                        "s: the closing } is missing, at character 4 of ${a");
        assertThat(error.problems().get(0).notes())
                .contains(
                        new Problem.Note("value", "${d.xx}"),
                        new Problem.Note("from", "configs/test.conf:1"),
                        new Problem.Note("did you mean", "d.x"));
        assertThat(error.problems().get(1).notes()).contains(new Problem.Note("did you mean", "oc.env"));
    }

    @Test
    void suggestsAFixForABrokenExpression() {
        MapNode tree = map("q", "${f:'a}", "r", "${q}");

        StageException error = catchThrowableOfType(
                StageException.class, () -> Interpolator.of(tree, RESOLVERS).resolve());

        assertThat(error.problems()).singleElement().satisfies(problem -> assertThat(problem.notes())
                .contains(
                        new Problem.Note("hint", "close it with '"),
                        new Problem.Note("hint", "a backslash before the dollar sign keeps it as text: \\${")));
    }

    @Test
    void namesTheChainOfACycle() {
        MapNode tree = map("p", "${q.r}", "q", map("r", "x${s}"), "s", "${p}");

        assertThatThrownBy(() -> Interpolator.of(tree, RESOLVERS).resolve())
                .hasMessageContaining("the value depends on itself: p -> q.r -> s -> p");
    }

    @Test
    void findsCyclesThroughSections() {
        MapNode tree = map("p", map("q", "${r}"), "r", map("s", "${p}"));

        assertThatThrownBy(() -> Interpolator.of(tree, RESOLVERS).resolve()).hasMessageContaining("depends on itself");
    }

    @Test
    void warnsOfDeprecatedKeysOnce() {
        Interpolator interpolator = Interpolator.of(
                BASE.with("old", Trees.node("${oc.deprecated:d.x}")).with("v", Trees.node("${old}${old}")), RESOLVERS);

        interpolator.resolve();

        assertThat(interpolator.warnings()).containsExactly("'old' is deprecated, use 'd.x'");
    }

    @Test
    void dependsOnlyOnValuesInStableIds() {
        MapNode tree = map("a", map("x", 1, "y", "2"), "b", map("y", "2", "x", 1), "c", map("x", 1, "y", 2));

        List<String> ids = Arrays.asList("a", "b", "c").stream()
                .map(key ->
                        plain(Interpolator.of(tree.with("v", Trees.node("${stable_id:run_,${" + key + "}}")), RESOLVERS)
                                .value("v")))
                .toList();

        assertThat(ids.get(0)).isEqualTo(ids.get(1)).isNotEqualTo(ids.get(2)).matches("run_[0-9a-f]{10}");
        assertThat(ids.get(0))
                .isEqualTo("run_" + sha256("[{\"x\": 1, \"y\": \"2\"}]").substring(0, 10));
    }

    private static String sha256(String text) {
        return org.apache.commons.codec.digest.DigestUtils.sha256Hex(text);
    }

    @Test
    void acceptsCustomResolversWithNewNames() {
        Resolver twice = new Resolver(
                "twice",
                "text",
                "The text twice.",
                1,
                1,
                (arguments, call) -> Datum.of(call.text(arguments.get(0)).repeat(2)));

        assertThat(plain(Interpolator.of(BASE.with("v", Trees.node("${twice:${k}}")), RESOLVERS.with(List.of(twice)))
                        .value("v")))
                .isEqualTo("xx");
        assertThatThrownBy(() -> Interpolator.of(
                                BASE.with("v", Trees.node("${twice:1,2}")), RESOLVERS.with(List.of(twice)))
                        .value("v"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("twice takes 1 argument, got 2: ${twice:text}");
        assertThatThrownBy(() -> RESOLVERS.with(RESOLVERS.all()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("registered twice");
        assertThat(RESOLVERS.all())
                .allSatisfy(resolver -> assertThat(resolver.doc()).endsWith("."));
    }

    @Test
    void changesNothingWhenResolvedTwice() {
        qt().withExamples(200)
                .forAll(lists().of(integers().between(0, 9)).ofSizeBetween(1, 10))
                .checkAssert(references -> {
                    MapNode tree = chain(references);
                    MapNode once = Interpolator.of(tree, RESOLVERS).resolve();
                    assertThat(Interpolator.of(once, RESOLVERS).resolve()).isSameAs(once);
                    assertThat(once.toString()).doesNotContain("${");
                });
    }

    /** Creates keys {@code k<i>} that refer to a later key, alone or inside text. The last one is a number. */
    private static MapNode chain(List<Integer> references) {
        MapNode tree = MapNode.empty();
        int last = references.size();
        for (int i = 0; i < last; i++) {
            int target = Math.min(last, i + 1 + references.get(i));
            String text = references.get(i) % 2 == 0 ? "${k" + target + "}" : "x${.k" + target + "}y";
            tree = tree.with("k" + i, Trees.node(text));
        }
        return tree.with("k" + last, Trees.node(42));
    }

    private static String plain(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.text();
        }
        return ((dev.stagesim.config.tree.ListNode) node)
                .items().stream().map(InterpolatorTest::plain).toList().toString();
    }
}
