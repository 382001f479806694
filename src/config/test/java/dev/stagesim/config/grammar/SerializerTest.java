package dev.stagesim.config.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.model.StageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SerializerTest {
    private static Value parse(String text) {
        return OverrideParser.parse("a=" + text, 1, Dialect.STAGE).value().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            delimiter = '|',
            value = {
                "3 | '3' | 3",
                "true | 'true' | true",
                "null | 'null' | null",
                "a b | a\\ b | a\\ b",
                "${a} | ${a} | $\\{a\\}",
                "${f: a, b} c | ${f: a, b}\\ c | $\\{f\\:\\ a\\,\\ b\\}\\ c",
                "${a | $\\{a | $\\{a",
                "it's | \"it's\" | it's",
                "日本 | 日本 | 日本",
                "a=b | a\\=b | a\\=b",
                "\\ | \\\\ | \\\\",
                "`x` | '`x`' | `x`",
            })
    void writesStrings(String text, String stage, String hydra) {
        Value.Text value = new Value.Text(text);

        assertThat(Serializer.serialise(value, Dialect.STAGE)).isEqualTo(stage);
        assertThat(Serializer.serialise(value, Dialect.HYDRA)).isEqualTo(hydra);
        assertThat(((Value.Scalar) parse(stage)).text()).isEqualTo(text);
    }

    @Test
    void quotesStringsWithoutAPlainForm() {
        assertThat(Serializer.serialise(new Value.Text(""), Dialect.STAGE)).isEqualTo("''");
        assertThat(Serializer.serialise(new Value.Text("a\nb"), Dialect.STAGE)).isEqualTo("'a\nb'");
        assertThat(Serializer.serialise(new Value.Quoted("it's \\", '\''), Dialect.STAGE))
                .isEqualTo("'it\\'s \\\\'");
    }

    @Test
    void writesScalarsAsGivenOrLikePython() {
        Value value = parse("[True,1_0,1e0,NULL]");

        assertThat(Serializer.serialise(value, Dialect.STAGE)).isEqualTo("[True,1_0,1e0,NULL]");
        assertThat(Serializer.serialise(value, Dialect.HYDRA)).isEqualTo("[True,10,1.0,null]");
        assertThat(Serializer.serialise(Value.Bool.of(true), Dialect.STAGE)).isEqualTo("true");
    }

    @Test
    void writesWholeOverrides() {
        for (String text : new String[] {"+a@b=1", "++a=x", "~a=1", "a+=[1]", "a:={b:1}", "a=", "db/x=y"}) {
            ConfigOverride override = OverrideParser.parse(text, 1, Dialect.STAGE);
            assertThat(Serializer.serialise(override, Dialect.STAGE)).isEqualTo(text);
        }
        ConfigOverride delete = OverrideParser.parse("~a", 1, Dialect.STAGE);
        assertThat(Serializer.serialise(delete, Dialect.STAGE)).isEqualTo("~a");
        assertThat(Serializer.serialise(delete, Dialect.HYDRA)).isEqualTo("~a=null");
    }

    @Test
    void rejectsSweepsInValuesInHydraMode() {
        Value value =
                OverrideParser.parse("a=[range(3)]", 1, Dialect.HYDRA).value().orElseThrow();

        assertThrows(StageException.class, () -> Serializer.serialise(value, Dialect.HYDRA));
    }
}
