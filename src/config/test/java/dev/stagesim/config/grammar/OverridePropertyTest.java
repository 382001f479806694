package dev.stagesim.config.grammar;

import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.Generate.constant;
import static org.quicktheories.generators.Generate.pick;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.strings;

import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

class OverridePropertyTest {
    private static final int EXAMPLES = 4000;
    private static final List<String> PIECES = List.of(
            "a",
            "1",
            "1.5",
            "true",
            "null",
            "'q'",
            "\"d\\\"\"",
            ",",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            ":",
            "=",
            " ",
            "\\",
            "\\,",
            "${x}",
            "${f:{",
            "}",
            "choice(",
            "range(",
            "glob(",
            "sort(",
            "shuffle(",
            "tag(",
            "int(",
            "str(",
            "json(",
            "zip(",
            "linspace(",
            "interval(",
            "日",
            "#",
            "~",
            "+",
            "-",
            ".",
            "@",
            "\t",
            "\n",
            "$",
            "'",
            "\"",
            "inf",
            "x=",
            "reverse=true",
            "0",
            "10",
            "k:",
            "\ud83d\ude00",
            "\ud83d");

    private static Gen<String> soup() {
        return lists().of(pick(PIECES)).ofSizeBetween(0, 14).map(pieces -> String.join("", pieces));
    }

    private static Gen<String> anything() {
        return strings().allPossible().ofLengthBetween(0, 30).mix(soup(), 70);
    }

    private static Optional<ConfigOverride> parse(String text, Dialect dialect) {
        try {
            return Optional.of(OverrideParser.parse(text, 1, dialect));
        } catch (StageException refused) {
            return Optional.empty();
        }
    }

    @Test
    void parsesOrRejectsAnyText() {
        qt().withExamples(EXAMPLES)
                .forAll(anything(), pick(List.of(Dialect.values())))
                .checkAssert((text, dialect) -> {
                    parse(text, dialect);
                    parse("a=" + text, dialect);
                });
    }

    @Test
    void parsesWrittenOverrides() {
        qt().withExamples(EXAMPLES)
                .forAll(constant("a=").mix(constant("+a.b="), 30), soup().assuming(text -> !text.isEmpty()))
                .checkAssert((left, text) -> parse(left + text, Dialect.STAGE).ifPresent(this::readsBack));
    }

    private void readsBack(ConfigOverride override) {
        String written = Serializer.serialise(override, Dialect.STAGE);
        ConfigOverride again = OverrideParser.parse(written, 1, Dialect.STAGE);
        if (!again.value().equals(override.value()) || !again.keyElement().equals(override.keyElement())) {
            throw new AssertionError(override + " was written as " + written + " and read as " + again);
        }
    }

    @Test
    void parsesAnyWrittenString() {
        qt().withExamples(EXAMPLES)
                .forAll(strings().allPossible().ofLengthBetween(0, 20).mix(soup(), 60))
                .check(text -> {
                    String written = "a=[" + Serializer.serialise(new Value.Text(text), Dialect.STAGE) + "]";
                    Value value = OverrideParser.parse(written, 1, Dialect.STAGE)
                            .value()
                            .orElseThrow();
                    Value item = ((Value.Items) value).items().get(0);
                    return Types.isText(item) && ((Value.Scalar) item).text().equals(text);
                });
    }

    @Test
    void parsesHydrasOverridesWithTheSameMeaning() {
        qt().withExamples(EXAMPLES).forAll(soup(), integers().between(0, 1)).check((text, any) -> {
            Optional<ConfigOverride> hydra = parse("a=" + text, Dialect.HYDRA);
            boolean plain = hydra.isPresent() && hydra.get().value().orElseThrow() instanceof Value.Scalar;
            return !plain
                    || text.contains("(")
                    || parse("a=" + text, Dialect.STAGE)
                            .map(ours -> ours.value().equals(hydra.get().value()))
                            .orElse(false);
        });
    }
}
