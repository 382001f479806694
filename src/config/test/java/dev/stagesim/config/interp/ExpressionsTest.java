package dev.stagesim.config.interp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Syntax;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.grammar.ValueParser;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpressionsTest {
    private static Syntax.Template template(String text, Dialect dialect) {
        return ValueParser.template(text, dialect, InterpolationException.in(text));
    }

    @Test
    void splitsTextAndInterpolations() {
        assertThat(template("a${b.c}d\\${e}", Dialect.STAGE).pieces())
                .containsExactly(
                        new Syntax.Text("a"),
                        new Syntax.Reference(List.of(new Syntax.Text("b"), new Syntax.Text("."), new Syntax.Text("c"))),
                        new Syntax.Text("d${e}"));
    }

    @Test
    void readsArgumentsTyped() {
        Syntax.Resolver call = (Syntax.Resolver)
                template("${f:1,[a, 'b'],{k:null},}", Dialect.STAGE).pieces().get(0);

        assertThat(call.name()).containsExactly(new Syntax.Text("f"));
        assertThat(call.arguments()).hasSize(4);
        assertThat(call.arguments().get(0)).isInstanceOfSatisfying(Syntax.Leaf.class, one -> assertThat(one.value())
                .isEqualTo(new Value.Int(BigInteger.ONE, "1")));
        assertThat(call.arguments().get(1)).isInstanceOf(Syntax.Items.class);
        assertThat(call.arguments().get(2)).isInstanceOf(Syntax.Pairs.class);
        assertThat(call.arguments().get(3)).isInstanceOfSatisfying(Syntax.Leaf.class, empty -> assertThat(empty.value())
                .isEqualTo(Value.Text.EMPTY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"${f:é}", "${f:a=b}", "${f:a#b}", "${f:a!b;c}", "${f:~x}"})
    void acceptsMoreCharactersThanHydra(String expression) {
        assertThat(template(expression, Dialect.STAGE).pieces()).hasSize(1);
        assertThatThrownBy(() -> template(expression, Dialect.HYDRA)).isInstanceOf(InterpolationException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${", "${}", "${a", "${a..b}", "${a.}", "${[a}", "${f:(a)}", "${f:'a}", "${.f:a}", "${a b}"})
    void locatesErrorsInExpressions(String expression) {
        assertThatThrownBy(() -> template(expression, Dialect.STAGE))
                .isInstanceOfSatisfying(InterpolationException.class, error -> assertThat(error.kind())
                        .isEqualTo(InterpolationException.Kind.SYNTAX))
                .hasMessageContaining("at character")
                .hasMessageContaining(expression);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "${, the closing } is missing",
                "${a, the closing } is missing",
                "${  .., the closing } is missing",
                "${a., the closing } is missing",
                "${[a, the closing ] is missing",
                "${f:1, \"the text ends here, expected ',' or '}'\"",
                "${f:[1, \"the text ends here, expected ',' or ']'\"",
                "${a..b}, unexpected '.', expected a key",
                "${a b}, ' ' is not allowed in a key",
                "${f:'a}, the quote is not closed",
                "${f:[a}, \"unexpected '}', expected ',' or ']'\"",
                "${f:(a)}, '(' is not allowed outside quotes"
            })
    void describesErrors(String expression, String what) {
        assertThatThrownBy(() -> template(expression, Dialect.STAGE)).hasMessageContaining(what);
    }
}
