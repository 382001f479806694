package dev.stagesim.config.hocon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ScalarsTest {
    private static final List<String> PARTS =
            List.of("-", "+", ".", "0", "7", "42", "e", "E", "x", " ", "_", "\u0663", "null", "true", "false", "inf");

    /** Compares with regular expressions on texts that are almost numbers. */
    @Test
    void recognisesNumbersByTheirGrammar() {
        qt().withExamples(20_000)
                .forAll(lists().of(integers().between(0, PARTS.size() - 1)).ofSizeBetween(0, 7))
                .checkAssert(picks -> {
                    String text = picks.stream().map(PARTS::get).collect(Collectors.joining());
                    assertThat(Scalars.typed(text, Origin.DEFAULT)).as(text).isEqualTo(expected(text));
                });
    }

    private static ScalarNode expected(String text) {
        if (text.equals("null")) {
            return ScalarNode.ofNull(Origin.DEFAULT);
        }
        if (text.equals("true") || text.equals("false")) {
            return ScalarNode.of(text.equals("true"), Origin.DEFAULT);
        }
        if (text.matches("-?[0-9]+")) {
            return ScalarNode.of(new BigInteger(text), text, Origin.DEFAULT);
        }
        return text.matches("-?[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?")
                ? ScalarNode.of(Double.parseDouble(text), text, Origin.DEFAULT)
                : ScalarNode.of(text, Origin.DEFAULT);
    }
}
