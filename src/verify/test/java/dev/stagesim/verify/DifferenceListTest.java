package dev.stagesim.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DifferenceListTest {
    @Test
    void passesWhenAllValuesAreEqual() {
        DifferenceList differences = new DifferenceList();

        assertThat(differences.same("size", 3, 3)).isTrue();

        assertThat(differences.result("part", Path.of("a/case"))).isEqualTo(CaseResult.passed("part", "case"));
    }

    @Test
    void failsWithPlaceAndBothValuesWhenValuesDiffer() {
        DifferenceList differences = new DifferenceList();

        assertThat(differences.same(Json.parse("[1]", "file").items().get(0), 1, 2))
                .isFalse();

        assertThat(differences.result("part", "case").differences()).containsExactly(new Difference("/0", "1", "2"));
    }

    @Test
    void comparesNumbersByValueAndMembersInAnyOrder() {
        assertThat(JsonDiff.differences(
                        Json.parse("{\"a\":1,\"b\":[2.0]}", "wanted").value(),
                        Json.parse("{\"b\":[2],\"a\":1.0}", "actual").value()))
                .isEmpty();
        assertThat(JsonDiff.differences(
                        Json.parse("{\"a\":1,\"c\":[]}", "wanted").value(),
                        Json.parse("{\"b\":[2],\"c\":[1]}", "actual").value()))
                .extracting(Difference::where)
                .isEqualTo(List.of("/a", "/b", "/c"));
    }
}
