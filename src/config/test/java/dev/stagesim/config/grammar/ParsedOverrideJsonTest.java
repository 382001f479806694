package dev.stagesim.config.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParsedOverrideJsonTest {
    private static String json(String text) {
        return Json.compact(ParsedOverrideJson.of(OverrideParser.parse(text, 1, Dialect.STAGE), Dialect.STAGE));
    }

    @Test
    void showsAnElement() {
        assertThat(json("+db/x@a.b=[1,'q',{k:null}]"))
                .isEqualTo(
                        "{\"is_hydra\":false,\"key_element\":\"+db/x@a.b\",\"key_or_group\":\"db/x\",\"pkg1\":\"a.b\","
                                + "\"pkg2\":null,\"type\":\"add\",\"value\":{\"t\":\"list\",\"v\":[{\"t\":\"int\",\"v\":\"1\"},"
                                + "{\"q\":\"'\",\"t\":\"quoted\",\"v\":\"q\"},{\"t\":\"dict\",\"v\":[[{\"t\":\"str\",\"v\":\"k\"},"
                                + "{\"t\":\"null\"}]]}]},\"value_str\":\"[1,'q',{k:null}]\",\"value_type\":\"element\"}");
    }

    @Test
    void showsASweepWithItsValues() {
        assertThat(json("a=range(1,3)"))
                .contains("\"value_type\":\"range_sweep\"")
                .contains("\"expansion_str\":[\"1\",\"2\"]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "~a | \"value_type\":null",
                "a+=1 | \"type\":\"append\"",
                "a=x,y | \"simple\":true",
                "a=range(1000) | \"expansion_truncated_at\":200",
                "a=shuffle(b,a) | \"expansion_sorted\":[\"a\",\"b\"]",
                "a=glob(x*) | \"include\":[\"x*\"]",
                "a=interval(0,1) | \"end\":{\"t\":\"float\",\"v\":\"1.0\"}",
                "mo=zip(a=choice(1,2)) | \"value_type\":\"zip_sweep\"",
                "hydra.x=1 | \"is_hydra\":true",
            })
    void showsEveryKind(String text, String part) {
        assertThat(json(text)).contains(part);
    }
}
