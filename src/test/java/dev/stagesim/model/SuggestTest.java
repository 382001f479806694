package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestTest {
    private static final List<String> NAMES = List.of("scheduler", "workload", "model", "arrival", "compare");

    @Test
    void findsNearSpellingsFirst() {
        assertThat(Suggest.near("modle", NAMES)).containsExactly("model");
        assertThat(Suggest.near("Arival", NAMES)).containsExactly("arrival");
    }

    @Test
    void countsASwapAsOneEdit() {
        assertThat(Suggest.distance("modle", "model")).isEqualTo(1);
        assertThat(Suggest.distance("", "abc")).isEqualTo(3);
        assertThat(Suggest.distance("abc", "abc")).isZero();
    }

    @Test
    void fallsBackToPartsAndAbbreviations() {
        assertThat(Suggest.near("load", NAMES)).containsExactly("workload");
        assertThat(Suggest.near("sced", NAMES)).containsExactly("scheduler");
    }

    @Test
    void staysSilentWhenNothingIsNear() {
        assertThat(Suggest.near("zzzz", NAMES)).isEmpty();
        assertThat(Suggest.near("q", NAMES)).isEmpty();
    }

    @Test
    void offersThreeAtMost() {
        assertThat(Suggest.near("aa", List.of("ab", "ac", "ad", "ae"))).containsExactly("ab", "ac", "ad");
    }
}
