package dev.stagesim.config.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.model.StageException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ElementParserTest {
    @Test
    void readsTypedArguments() {
        assertThat(ElementParser.parseArguments(" USER , 1,[a,2] ,'x, y', {k:1}"))
                .containsExactly(
                        new TextValue("USER"),
                        IntValue.of(1),
                        new ListValue(List.of(new TextValue("a"), IntValue.of(2))),
                        new QuotedValue("x, y", '\''),
                        new DictValue(List.of(new DictValue.Entry(new TextValue("k"), IntValue.of(1)))));
    }

    @Test
    void emptyElementsAreEmptyStrings() {
        assertThat(ElementParser.parseArguments("")).isEmpty();
        assertThat(ElementParser.parseArguments("  ")).isEmpty();
        assertThat(ElementParser.parseArguments(",")).containsExactly(TextValue.EMPTY, TextValue.EMPTY);
        assertThat(ElementParser.parseArguments("a,")).containsExactly(new TextValue("a"), TextValue.EMPTY);
    }

    @Test
    void balancesNestedInterpolations() {
        for (Dialect dialect : Dialect.values()) {
            assertThat(ElementParser.parseArguments("${a.${b}},${f:{x:'}'}}", dialect))
                    .containsExactly(new TextValue("${a.${b}}"), new TextValue("${f:{x:'}'}}"));
        }
    }

    @Test
    void callsNoFunctions() {
        assertThat(ElementParser.parseArguments("range(3)")).containsExactly(new TextValue("range(3)"));
        assertThrows(StageException.class, () -> ElementParser.parseArguments("range(3)", Dialect.HYDRA));
    }

    @Test
    void readsOneValue() {
        assertThat(ElementParser.parseValue("1.5")).isEqualTo(FloatValue.of(1.5));
        assertThat(ElementParser.parseValue("")).isEqualTo(TextValue.EMPTY);
        assertThrows(StageException.class, () -> ElementParser.parseValue("a,b"));
    }
}
