package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.stage.Estimate;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LimitsTest {
    private static final double GIB = 1L << 30;

    private static Limits limits(LimitSettings settings) {
        return new Limits(settings, 2L << 30);
    }

    @Test
    void printsNoEstimateWhenTheRunIsSmall() {
        assertThat(limits(LimitSettings.DEFAULT).check("x", new Estimate(1e6, "tokens", 3, 1e8, 1e8), 1e12))
                .isEmpty();
    }

    @Test
    void announcesALongRunBeforeItStarts() {
        assertThat(limits(LimitSettings.DEFAULT).check("x", new Estimate(2.5e9, "tokens", 7500, 1.5 * GIB, 3e11), 1e12))
                .contains("expected: up to 2.5e9 tokens, about 2.1 h, 1.5 GiB of memory, 279.4 GiB on disk");
        assertThat(limits(LimitSettings.DEFAULT).check("x", new Estimate(0, "", 600, 0, 0), 1e12))
                .contains("expected: about 10 min");
    }

    @Test
    void rejectsEachExceededLimitWithItsKey() {
        LimitSettings settings = new LimitSettings(5e9, Optional.of(2.0), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> limits(settings)
                        .check("astra_sim", new Estimate(1.04e10, "frames", 10_400, 2.5 * GIB, 9 * GIB), 8 * GIB))
                .isInstanceOfSatisfying(StageException.class, e -> {
                    assertThat(e.kind()).isEqualTo(StageException.Kind.INPUT);
                    assertThat(e.problems())
                            .extracting(problem -> problem.render().replaceAll("\\s+", " "))
                            .satisfiesExactly(
                                    p -> assertThat(p)
                                            .contains("astra_sim: is expected to take up to 1.0e10 frames")
                                            .contains("limits.events=5.0e9", "limits.events=1.1e10"),
                                    p -> assertThat(p).contains("about 2.9 h", "limits.hours=2.0", "limits.hours=2.9"),
                                    p -> assertThat(p)
                                            .contains(
                                                    "about 2.5 GiB of memory",
                                                    "2.0 GiB",
                                                    "-Xmx",
                                                    "limits.memory_gib=2.6"),
                                    p -> assertThat(p)
                                            .contains(
                                                    "about 9.0 GiB on disk",
                                                    "8.0 GiB",
                                                    "free space",
                                                    "limits.disk_gib=9.1"));
                });
    }

    @Test
    void printsDifferentValuesWhenTheNeedExceedsTheLimit() {
        for (double bytes = 7; bytes < 1e15; bytes *= 1.73) {
            double requested = bytes;
            assertThatThrownBy(() -> limits(LimitSettings.DEFAULT)
                            .check("x", new Estimate(0, "", 0, 0, requested), 0.8 * requested))
                    .isInstanceOfSatisfying(StageException.class, e -> {
                        String text = e.problems().get(0).render().replaceAll("\\s+", " ");
                        String expected = text.replaceAll(".* about (.*) on disk.*", "$1");
                        assertThat(expected).doesNotStartWith("0");
                        assertThat(text).doesNotContain("the available " + expected);
                    });
        }
    }

    @Test
    void suggestsALimitThatSuffices() {
        for (double events = 5.1e9; events < 1e15; events *= 1.37) {
            double requested = events;
            Estimate estimate = new Estimate(requested, "frames", 0, 0, 0);
            try {
                limits(LimitSettings.DEFAULT).check("x", estimate, 1e12);
                throw new AssertionError(requested + " was let through");
            } catch (StageException e) {
                String text = e.problems().get(0).render();
                double raised = Double.parseDouble(
                        text.substring(text.lastIndexOf('=') + 1).strip());
                assertThat(raised).isBetween(requested, requested * 1.2);
                LimitSettings settings =
                        new LimitSettings(raised, Optional.empty(), Optional.empty(), Optional.empty());
                limits(settings).check("x", estimate, 1e12);
            }
        }
    }

    @Test
    void acceptsAnyRunWithoutLimits() {
        assertThat(limits(LimitSettings.NONE).check("x", new Estimate(1e30, "frames", 1e30, 1e30, 1e30), 1))
                .isPresent();
    }
}
