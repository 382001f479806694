package dev.stagesim.io.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class YamlTest {
    @Test
    void readsScalarsByTheRulesOfVersionOneOne() {
        assertThat(compact("[1, -0x1F, 017, 0b101, 1_000, 1:30, 1.5, 2.0e+3, yes, Off, ~, '1', abc, 2020-01-01]"))
                .isEqualTo("[1,-31,15,5,1000,90,1.5,2000.0,true,false,null,\"1\",\"abc\",\"2020-01-01\"]");
        assertThat(compact("99999999999999999999")).isEqualTo("99999999999999999999");
    }

    @Test
    void readsLikePythonOnRequest() {
        String text = "{a: [1e3, 1.0e+3, 010, 08, yes, .5], on: 1, b: 2, 3: x}";
        assertThat(Json.compact(Yaml.parse(text, "f.yml", Yaml.Rules.PYTHON).value()))
                .isEqualTo("{\"3\":\"x\",\"a\":[\"1e3\",1000.0,8,\"08\",true,0.5],\"b\":2,\"true\":1}");
        assertThat(Json.compact(Yaml.parse("[1e3, 1.0e+3, 010, 08, yes, .5]", "f.yml", Yaml.Rules.PYTHON)
                        .value()))
                .isEqualTo("[\"1e3\",1000.0,8,\"08\",true,0.5]");
        assertThatThrownBy(() -> Yaml.parse("a: 2020-01-01", "f.yml", Yaml.Rules.PYTHON))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("date");
    }

    @Test
    void resolvesAnchorsAndMerges() {
        assertThat(compact("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n"))
                .isEqualTo("{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":3}}");
    }

    @Test
    void rejectsCustomTypes() {
        rejected("a: [1", "f.yml:1");
        rejected("a: 1\na: 2\n", "twice");
        rejected("a: !!java.util.Date 2020\n", "tag");
        rejected("a: &x [*x]\n", "contains itself");
        rejected("", "empty");
        rejected("a: 1\n---\nb: 2\n", "not valid YAML");
        rejected("? [1, 2]\n: 3\n", "not a scalar");
    }

    @ParameterizedTest
    @EnumSource(Yaml.Rules.class)
    void rejectsDuplicateKeys(Yaml.Rules rules) {
        for (String text : List.of(
                "a: 1\nb: 2\na: 3\n",
                "\na: {x: 1,\n x: 1}",
                "- a: 1\n  b: 2\n  'a': 1",
                "x: &y {q: 1}\na:\n  q: 1\n  q: 2")) {
            assertThatThrownBy(() -> Yaml.parse(text, "f.yml", rules))
                    .isInstanceOf(StageException.class)
                    .hasMessageMatching("(?s).*f.yml:[234]: .*twice.*");
        }
    }

    @Test
    void reportsAMissingFile() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            assertThatThrownBy(() -> Yaml.read(files.getPath("/none.yml")))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("/none.yml")
                    .hasMessageContaining("does not exist");
        }
    }

    private static String compact(String text) {
        return Json.compact(Yaml.parse(text, "f.yml").value());
    }

    private static void rejected(String text, String why) {
        assertThatThrownBy(() -> Yaml.parse(text, "f.yml"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("f.yml")
                .hasMessageContaining(why);
    }
}
