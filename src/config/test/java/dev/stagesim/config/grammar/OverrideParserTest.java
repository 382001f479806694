package dev.stagesim.config.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.config.grammar.ConfigOverride.Type;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OverrideParserTest {
    private static ConfigOverride hydra(String text) {
        return OverrideParser.parse(text, 1, Dialect.HYDRA);
    }

    private static ConfigOverride stage(String text) {
        return OverrideParser.parse(text, 1, Dialect.STAGE);
    }

    private static Value value(String text) {
        return stage("a=" + text).value().orElseThrow();
    }

    private static Problem problem(String text, Dialect dialect) {
        StageException refused = assertThrows(StageException.class, () -> OverrideParser.parse(text, 2, dialect));
        return refused.problems().get(0);
    }

    @ParameterizedTest
    @CsvSource({
        "a=1, CHANGE, a, ",
        "+a.b=1, ADD, a.b, ",
        "++a=1, FORCE_ADD, a, ",
        "~a=1, DELETE, a, ",
        "db@src=1, CHANGE, db, src",
        "db/engine@a.b=1, CHANGE, db/engine, a.b",
        "$a-b.0=1, CHANGE, $a-b.0, ",
        "0.a=1, CHANGE, 0.a, ",
    })
    void readsKeys(String text, Type type, String key, String pkg) {
        for (Dialect dialect : Dialect.values()) {
            ConfigOverride override = OverrideParser.parse(text, 3, dialect);

            assertThat(override.type()).isEqualTo(type);
            assertThat(override.key()).isEqualTo(key);
            assertThat(override.pkg()).isEqualTo(Optional.ofNullable(pkg));
            assertThat(override.value()).contains(new Value.Int(BigInteger.ONE, "1"));
            assertThat(override.position()).isEqualTo(3);
        }
    }

    @Test
    void distinguishesTheRootPackageFromNone() {
        assertThat(hydra("db@=x").pkg()).contains("");
        assertThat(hydra("db=x").pkg()).isEmpty();
    }

    @Test
    void deletesWithAndWithoutValue() {
        assertThat(hydra("~a").value()).isEmpty();
        assertThat(hydra("~a=").value()).contains(Value.Text.EMPTY);
    }

    @Test
    void acceptsExtendedKeysOnlyInTheDefaultDialect() {
        assertThat(stage("l[0].z[12]=1").key()).isEqualTo("l.0.z.12");
        assertThat(stage("1=x").path()).containsExactly("1");
        assertThat(stage("a.b+=1").type()).isEqualTo(Type.APPEND);
        assertThat(stage("a:={}").type()).isEqualTo(Type.REPLACE);
        for (String text : List.of("l[0]=1", "1=x", "a+=1", "a:={}")) {
            assertThat(problem(text, Dialect.HYDRA).category()).isEqualTo(OverrideParser.SYNTAX);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a b=1, 2",
        "a..b=1, 2",
        "é=1, 1",
        "a/b.c=1, 4",
        "a, 2",
        "+++a=1, 3",
        "'~~a', 2",
    })
    void locatesTheFirstInvalidCharacterOfAKey(String text, int column) {
        for (Dialect dialect : Dialect.values()) {
            assertThat(problem(text, dialect).where()).isEqualTo("override #2 '" + text + "', column " + column);
        }
    }

    @Test
    void typesSingleTokensAndJoinsSeveral() {
        assertThat(value("1_000")).isEqualTo(new Value.Int(BigInteger.valueOf(1000), "1_000"));
        assertThat(value("+1")).isEqualTo(new Value.Int(BigInteger.ONE, "+1"));
        assertThat(value(".5")).isEqualTo(new Value.Real(0.5, ".5"));
        assertThat(value("1.")).isEqualTo(new Value.Real(1, "1."));
        assertThat(value("-INF")).isEqualTo(new Value.Real(Double.NEGATIVE_INFINITY, "-INF"));
        assertThat(value("TRUE ")).isEqualTo(new Value.Bool(true, "TRUE"));
        assertThat(value("Null")).isEqualTo(new Value.Null("Null"));
        assertThat(value("")).isEqualTo(Value.Text.EMPTY);
        assertThat(value(" ")).isEqualTo(Value.Text.EMPTY);
        for (String text : List.of("007", "1__0", "1_", "0x10", "1e", "a b", "a:b", "x/y")) {
            assertThat(value(text)).isEqualTo(new Value.Text(text));
        }
    }

    @Test
    void resolvesEscapesOutsideQuotesOnly() {
        assertThat(value("a\\,b\\ ")).isEqualTo(new Value.Text("a,b "));
        assertThat(value("\\${x}")).isEqualTo(new Value.Text("\\${x}"));
        assertThat(value("'a\\nb\\''")).isEqualTo(new Value.Quoted("a\\nb'", '\''));
        assertThat(value("\"a\\\\\"")).isEqualTo(new Value.Quoted("a\\", '"'));
    }

    @Test
    void keepsContainersAndTheLastOfEqualKeys() {
        assertThat(value("[1,[a],{}]"))
                .isEqualTo(new Value.Items(List.of(
                        Value.Int.of(1), new Value.Items(List.of(new Value.Text("a"))), new Value.Dict(List.of()))));
        Value.Dict dict = (Value.Dict) value("{a:1,b:2,a:3}");
        assertThat(dict.entries())
                .containsExactly(
                        new Value.Dict.Entry(new Value.Text("a"), Value.Int.of(3)),
                        new Value.Dict.Entry(new Value.Text("b"), Value.Int.of(2)));
    }

    @Test
    void parsesAdjacentConditionsAsText() {
        assertThat(value("ttft_p99_ms<500,tpot_p99_ms<=50"))
                .isEqualTo(new Value.Text("ttft_p99_ms<500,tpot_p99_ms<=50"));
        assertThat(value("a > 1, b.c>=2,d<3")).isEqualTo(new Value.Text("a > 1,b.c>=2,d<3"));
        assertThat(value("a<1,b")).isInstanceOf(SweepValue.Choice.class);
        assertThat(value("a<1,'b<2'")).isInstanceOf(SweepValue.Choice.class);
        assertThat(value("<a,b>")).isInstanceOf(SweepValue.Choice.class);
        assertThat(value("choice(a<1,b<2)")).isInstanceOf(SweepValue.Choice.class);
    }

    @Test
    void typesMapKeysInHydrasDialectOnly() {
        Value.Dict typed = (Value.Dict) hydra("a={1:x,true:y}").value().orElseThrow();
        assertThat(typed.entries()).hasSize(1);
        assertThat(((Value.Dict) value("{1:x,true:y}")).entries())
                .extracting(Value.Dict.Entry::key)
                .containsExactly(new Value.Text("1"), new Value.Text("true"));
        assertThat(((Value.Dict) value("{'a b':1}")).entries().get(0).key()).isEqualTo(new Value.Quoted("a b", '\''));
    }

    @ParameterizedTest
    @ValueSource(strings = {"日本", "a=b", "==", "a#b", "^a.*$", "<x>;y&z!~", "${f:{a:1}}", "${a.${b}}", "${f:'}'}"})
    void acceptsMoreTextThanHydra(String text) {
        assertThat(value(text)).isEqualTo(new Value.Text(text));
        assertThat(problem("a=" + text, Dialect.HYDRA).category()).isEqualTo(OverrideParser.SYNTAX);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1,2] ", "{a:1} ", "choice(a,b) ", "'x' "})
    void allowsTrailingBlanks(String text) {
        assertThat(value(text)).isEqualTo(value(text.strip()));
        assertThat(problem("a=" + text, Dialect.HYDRA).category()).isEqualTo(OverrideParser.SYNTAX);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"[1", "[1,]", "{a}", "{:1}", "x'a'", "'a''b'", "a,,b", "a,", "(x)", "a)", "'open", "`a`", "f(a,)"
            })
    void rejectsTextOutsideOfBothGrammars(String text) {
        for (Dialect dialect : Dialect.values()) {
            assertThat(problem("a=" + text, dialect).category()).isEqualTo(OverrideParser.SYNTAX);
        }
    }

    @Test
    void reportsSyntaxErrorsBeforeSemanticErrors() {
        assertThat(problem("a=foo(1)", Dialect.STAGE).category()).isEqualTo(OverrideParser.MEANING);
        assertThat(problem("a=foo(1)x", Dialect.STAGE).category()).isEqualTo(OverrideParser.SYNTAX);
    }

    @Test
    void reportsLocationAndExpectedTokens() {
        assertThat(problem("seed=[1,2", Dialect.STAGE).render())
                .isEqualTo(
                        """
                        override syntax error: override #2 'seed=[1,2', column 10: the text ends here, expected ',' or ']'
                          input         seed=[1,2
                                                 ^
                          hint          the value ends too early; quote it if it contains brackets or commas""");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${", "${x", "${ x", "x${x", "[${x]", "[1,${f:[1]]", "{b:${x", "f(${x)", "${x${y", "1,${f:'a'"})
    void reportsAnUnclosedInterpolation(String value) {
        for (Dialect dialect : Dialect.values()) {
            Problem problem = problem("a=" + value, dialect);

            assertThat(problem.where()).endsWith("column " + (3 + value.indexOf("${")));
            assertThat(problem.what()).isEqualTo("the closing } is missing");
            assertThat(problem.render()).contains("'\\${'");
            assertThat(stage("a='\\${x'").value()).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"${}", "x${}", "[${}]", "{b:${}}", "f(${})", "${},${x}"})
    void reportsAnEmptyInterpolation(String value) {
        for (Dialect dialect : Dialect.values()) {
            Problem problem = problem("a=" + value, dialect);

            assertThat(problem.where()).endsWith("column " + (3 + value.indexOf("}", value.indexOf("${"))));
            assertThat(problem.what()).isEqualTo("unexpected '}', expected a key");
        }
    }

    @Test
    void listsFunctionsAndSuggestsASimilarOne() {
        String text = problem("seed=rnage(3)", Dialect.STAGE).render();

        assertThat(text)
                .contains("column 6: unknown function 'rnage'")
                .contains("bool, choice, float, glob, int, interval, json, json_str, linspace, logrange, range")
                .contains("did you mean  range");
    }

    @Test
    void rejectsEndlessNesting() {
        assertThat(problem("a=" + "[".repeat(100_000), Dialect.STAGE).what()).contains("nest deeper than 200");
        assertThat(value("[".repeat(199) + "]".repeat(199))).isInstanceOf(Value.Items.class);
    }

    @Test
    void listsErrorsOfManyOverridesUpToALimit() {
        List<String> words = new ArrayList<>(List.of("a=1"));
        words.addAll(Collections.nCopies(250, "w"));

        assertThatThrownBy(() -> OverrideParser.parseAll(words, Dialect.STAGE))
                .isInstanceOfSatisfying(StageException.class, wrong -> {
                    assertThat(wrong.problems()).hasSize(20);
                    assertThat(wrong)
                            .hasMessageContaining("the last 230 overrides were not checked, because 20 are invalid");
                });
    }

    @Test
    void reportsAllInvalidOverridesWithTheirLocations() {
        assertThatThrownBy(() -> OverrideParser.parseAll(List.of("a=1", "b", "c=[", "d=2"), Dialect.STAGE))
                .isInstanceOfSatisfying(StageException.class, refused -> assertThat(refused.problems())
                        .extracting(Problem::where)
                        .containsExactly("override #2 'b', column 2", "override #3 'c=[', column 4"));
    }

    @Test
    void readsLongDigitsWithoutRecursion() {
        String digits = "9".repeat(20_000);
        assertThat(value(digits)).isInstanceOf(Value.Int.class);
    }
}
