package dev.stagesim.config.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.model.StageException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FunctionsTest {
    private static Value value(String text, Dialect dialect) {
        return OverrideParser.parse("a=" + text, 1, dialect).value().orElseThrow();
    }

    private static String ours(String text) {
        return Serializer.serialise(value(text, Dialect.STAGE), Dialect.STAGE);
    }

    private static List<String> points(String text, Dialect dialect) {
        return RangePoints.of((SweepValue.Range) value(text, dialect), dialect).all().stream()
                .map(Value.Scalar::text)
                .toList();
    }

    private static String refusal(String text, Dialect dialect) {
        StageException rejected = assertThrows(StageException.class, () -> value(text, dialect));
        assertThat(rejected.problems().get(0).category()).isEqualTo(OverrideParser.MEANING);
        return rejected.problems().get(0).what();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "int(3.7) | 3",
                "int('3') | 3",
                "int([1.5,'2']) | [1,2]",
                "float({a:1}) | {a:1.0}",
                "float(range(1,3)) | range(1.0,3.0,1.0)",
                "int(interval(1,2)) | int(interval(1,2))",
                "bool('True') | true",
                "bool(0.0) | false",
                "str(true) | 'true'",
                "str(3) | '3'",
                "str(abc) | abc",
                "str(1e16) | '1e+16'",
                "int(1.5,2.5) | 1,2",
                "int(tag(t,choice(1.5))) | tag(t,choice(1))",
                "sort(3,1,2,reverse=true) | 3,2,1",
                "sort([b,a]) | [a,b]",
                "sort(choice('b',\"a\")) | choice(\"a\",'b')",
                "sort(range(1,10,4),reverse=true) | range(9,-3,-4)",
                "sort(range(10,1,-3)) | range(4,13,3)",
                "choice('a,b',c) | choice('a,b',c)",
                "choice(null,1) | choice(null,1)",
                "range(1,3),range(5,7),x | 1,2,5,6,x",
                "linspace(0,1,5) | choice(0.0,0.25,0.5,0.75,1.0)",
                "linspace(1,10,4) | choice(1,4,7,10)",
                "logrange(1,1000,4) | choice(1,10,100,1000)",
                "logrange(0.1,10,3) | choice(0.1,1.0,10.0)",
                "json('{\"a\": [1, \"x\", null, 1.5, \"2\"]}') | {a:[1,x,null,1.5,'2']}",
                "json_str({a:1,b:[x,'2']}) | '{\"a\": 1, \"b\": [\"x\", \"2\"]}'",
                "zip(a.b=choice(1,2),+g/h@p=range(2)) | zip(a.b=choice(1,2),+g/h@p=range(0,2,1))",
                "glob([a*,b*],exclude=*c) | glob([a*,b*],*c)",
                "shuffle(range(3)) | shuffle(range(0,3,1))",
            })
    void evaluatesInTheDefaultDialect(String call, String expected) {
        assertThat(ours(call)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "choice()",
                "choice(choice(a,b))",
                "choice(range(3))",
                "range(a)",
                "range()",
                "range(1,2,3,4)",
                "range(1,stop=2,start=3)",
                "interval(1)",
                "glob(1)",
                "sort(1,a)",
                "sort()",
                "sort(choice(b,a),reverse=1)",
                "shuffle(interval(0,1))",
                "shuffle(interval(0,1),list=[1])",
                "sort(interval(0,1),sweep=choice(1,2))",
                "tag()",
                "tag(1,choice(a,b))",
                "tag(a,b)",
                "int(a)",
                "int('')",
                "int('1.0')",
                "int(null)",
                "int(inf)",
                "int(1,value=2)",
                "int()",
                "bool(x)",
                "str(interval(0,1))",
                "str(range(3))",
                "range(start=1,2)",
                "choice(x=1)",
                "nope(1)",
                "int(${x})"
            })
    void rejectsInvalidCallsInBothDialects(String call) {
        for (Dialect dialect : Dialect.values()) {
            assertThat(refusal(call, dialect)).isNotBlank();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "range(true)",
                "range(1,2,0)",
                "range(inf)",
                "[choice(1,2)]",
                "{a:range(3)}",
                "range(0),range(0)",
                "tag(t,choice(1)),2",
                "shuffle()"
            })
    void rejectsMoreThanHydra(String call) {
        assertThat(value(call, Dialect.HYDRA)).isNotNull();
        assertThat(refusal(call, Dialect.STAGE)).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zip(a=choice(1,2),b=choice(1))", "zip(a=1)", "zip(choice(1))", "zip()", "zip(a=choice(1),a=choice(2))",
                "zip(a=shuffle(choice(1,2)))", "logrange(0,1,3)", "linspace(0,1,0)", "linspace(0,inf,2)", "json('{')",
                "json('01')", "json(1)", "json_str(range(3))"
            })
    void rejectsInvalidCallsOfAddedFunctions(String call) {
        assertThat(refusal(call, Dialect.STAGE)).isNotBlank();
    }

    @Test
    void followsHydraInItsDialect() {
        assertThat(value("choice('a,b',c)", Dialect.HYDRA))
                .isEqualTo(SweepValue.Choice.of(List.of(new Value.Text("a,b"), new Value.Text("c")), false));
        assertThat(value("int(tag(t,shuffle(choice(1.5))))", Dialect.HYDRA))
                .isEqualTo(SweepValue.Choice.of(List.of(Value.Int.of(1)), false));
        assertThat(points("sort(range(1,10,4),reverse=true)", Dialect.HYDRA)).containsExactly("6", "2", "-2");
        assertThat(value("str(3)", Dialect.HYDRA)).isEqualTo(new Value.Text("3"));
        assertThat(value("shuffle(5)", Dialect.HYDRA)).isEqualTo(new Value.Items(List.of(Value.Int.of(5))));
    }

    @Test
    void enumeratesRangesCleanly() {
        for (Dialect dialect : Dialect.values()) {
            assertThat(points("range(0,0.7,0.1)", dialect))
                    .containsExactly("0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6");
            assertThat(points("range(5,0,-2)", dialect)).containsExactly("5", "3", "1");
            assertThat(points("range(3,3)", dialect)).isEmpty();
            assertThat(points("range(0.5,2)", dialect)).containsExactly("0.5", "1.5");
        }
        assertThat(points("sort(range(1,10,4),reverse=true)", Dialect.STAGE)).containsExactly("9", "5", "1");
        assertThat(points("range(0,1,0.1)", Dialect.STAGE)).contains("0.7").hasSize(10);
        assertThat(points("range(0,1,0.1)", Dialect.HYDRA))
                .contains("0.7000000000000001")
                .hasSize(10);
    }

    @Test
    void reversesEveryRangeOntoItsOwnPoints() {
        for (String range : List.of("range(0,1,0.1)", "range(1,10,4)", "range(-3,4,2)", "range(0.5,3)")) {
            List<String> forward = points(range, Dialect.STAGE);
            List<String> backward = points("sort(" + range + ",reverse=true)", Dialect.STAGE);

            assertThat(backward.stream().map(Double::valueOf).sorted().map(String::valueOf))
                    .isEqualTo(forward.stream()
                            .map(Double::valueOf)
                            .map(String::valueOf)
                            .toList());
            assertThat(backward.get(0)).isEqualTo(forward.get(forward.size() - 1));
        }
    }

    @Test
    void listsLongRangesLazilyAndRejectsEndlessOnes() {
        SweepValue.Range endless = (SweepValue.Range) value("range(inf)", Dialect.HYDRA);
        assertThat(RangePoints.of(endless, Dialect.HYDRA).first(3))
                .extracting(Value.Scalar::text)
                .containsExactly("0.0", "1.0", "2.0");
        SweepValue.Range wide = (SweepValue.Range) value("range(10000000000000)", Dialect.STAGE);
        assertThat(RangePoints.of(wide, Dialect.STAGE).first(2)).hasSize(2);
        assertThrows(
                StageException.class, () -> RangePoints.of(wide, Dialect.STAGE).all());
    }

    @Test
    void shufflesListsTheSameWayEachTime() {
        assertThat(ours("shuffle([1,2,3,4,5])"))
                .isEqualTo(ours("shuffle([1,2,3,4,5])"))
                .isNotEqualTo("[1,2,3,4,5]");
    }
}
