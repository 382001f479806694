package dev.stagesim.config.interp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.grammar.Dialect;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExprParserTest {
    @Test
    void cutsTextAndInterpolations() {
        Expr.Template template = ExprParser.template("a${b.c}d\\${e}", Dialect.STAGE);

        assertThat(template.pieces())
                .containsExactly(
                        new Expr.Text("a"),
                        new Expr.Reference(
                                List.of(new Expr.Text("b"), new Expr.Text("."), new Expr.Text("c")), "${b.c}"),
                        new Expr.Text("d${e}"));
    }

    @Test
    void readsArgumentsTyped() {
        Expr.Call call = (Expr.Call) ExprParser.template("${f:1,[a, 'b'],{k:null}}", Dialect.STAGE)
                .pieces()
                .get(0);

        assertThat(call.name()).containsExactly(new Expr.Text("f"));
        assertThat(call.arguments()).hasSize(3);
        assertThat(call.arguments().get(0)).isInstanceOfSatisfying(Expr.Literal.class, one -> assertThat(
                        one.value().value())
                .isEqualTo(java.math.BigInteger.ONE));
        assertThat(call.arguments().get(1)).isInstanceOf(Expr.Items.class);
        assertThat(call.arguments().get(2)).isInstanceOf(Expr.Pairs.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"${f:é}", "${f:a=b}", "${f:a#b}", "${f:a!b;c}", "${f:~x}"})
    void acceptsMoreCharactersThanHydra(String expression) {
        assertThat(ExprParser.template(expression, Dialect.STAGE).pieces()).hasSize(1);
        assertThatThrownBy(() -> ExprParser.template(expression, Dialect.HYDRA))
                .isInstanceOf(InterpolationException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${", "${}", "${a", "${a..b}", "${a.}", "${[a}", "${f:(a)}", "${f:'a}", "${.f:a}", "${a b}"})
    void saysWhereAnExpressionBreaks(String expression) {
        assertThatThrownBy(() -> ExprParser.template(expression, Dialect.STAGE))
                .isInstanceOfSatisfying(InterpolationException.class, error -> assertThat(error.kind())
                        .isEqualTo(InterpolationException.Kind.SYNTAX))
                .hasMessageContaining("at character")
                .hasMessageContaining(expression);
    }
}
