package dev.stagesim.config.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SweepSpaceTest {
    private static SweepSpace space(String... words) {
        return SweepSpace.parse(List.of(words), SweepOptions.of(group -> List.of()));
    }

    @Test
    void advancesZippedKeysTogether() {
        assertThat(space("a=1,2,3", "b=x", "c=range(4,7)").zipped())
                .containsExactly(
                        List.of("a=1", "b=x", "c=4"), List.of("a=2", "b=x", "c=5"), List.of("a=3", "b=x", "c=6"));
        assertThatThrownBy(() -> space("a=1,2,3", "c=4,5").zipped())
                .isInstanceOf(StageException.class)
                .hasMessageContaining("2 values, but one before it has 3");
        assertThatThrownBy(() -> space("a=1,2", "c=interval(0,1)").zipped()).isInstanceOf(StageException.class);
    }

    @Test
    void drawsBySeedWithinTheRange() {
        SweepSpace space =
                space("a=interval(2,3)", "b=int(interval(1,4))", "c=x,y", "d=tag(log,interval(1,1000))", "e=7");
        List<List<String>> drawn = space.random(200, 5);
        assertThat(drawn)
                .isEqualTo(space.random(200, 5))
                .isNotEqualTo(space.random(200, 6))
                .hasSize(200);
        TreeSet<String> whole = new TreeSet<>();
        int small = 0;
        for (List<String> job : drawn) {
            assertThat(Double.parseDouble(job.get(0).substring(2))).isBetween(2.0, 3.0);
            whole.add(job.get(1).substring(2));
            small += Double.parseDouble(job.get(3).substring(2)) < 31.6 ? 1 : 0;
            assertThat(job.get(4)).isEqualTo("e=7");
        }
        assertThat(whole).containsExactly("1", "2", "3", "4");
        assertThat(small).as("half of them below the geometric mean").isBetween(70, 130);
    }

    @Test
    void drawsOnceInEverySliceOfALatinHypercube() {
        List<List<String>> drawn =
                space("a=interval(0,20)", "b=p,q", "c=interval(100,120)").latinHypercube(20, 3);
        for (int column : new int[] {0, 2}) {
            assertThat(drawn.stream().map(job ->
                            (int) Math.floor(Double.parseDouble(job.get(column).substring(2)) % 100)))
                    .containsExactlyInAnyOrderElementsOf(
                            java.util.stream.IntStream.range(0, 20).boxed().toList());
        }
        assertThat(drawn.stream().filter(job -> job.contains("b=p"))).hasSize(10);
    }

    @Test
    void mergesEqualDraws() {
        assertThat(space("a=1,2").random(50, 1)).hasSize(2);
        assertThat(space("a=1").hasSweep()).isFalse();
    }

    private static final List<List<String>> GRID = List.of(
            List.of("scheduler=vllm", "scheduler.chunk_size=256", "qps=1"),
            List.of("scheduler=vllm", "scheduler.chunk_size=512", "qps=1"),
            List.of("scheduler=sarathi", "scheduler.chunk_size=256", "qps=8"),
            List.of("scheduler=sarathi", "scheduler.chunk_size=512", "qps=8"));

    @Test
    void sweepsAKeyOnlyWhenItsConditionIsTrue() {
        JobRules rules = new JobRules(List.of(), List.of("scheduler.chunk_size: scheduler=sarathi"));
        assertThat(rules.apply(GRID)).containsExactly(List.of("scheduler=vllm", "qps=1"), GRID.get(2), GRID.get(3));
    }

    @Test
    void excludesJobsByConditions() {
        assertThat(new JobRules(List.of("scheduler=sarathi scheduler.chunk_size>=512.0"), List.of()).apply(GRID))
                .isEqualTo(GRID.subList(0, 3));
        assertThat(new JobRules(List.of("scheduler=vllm|orca", "qps!=8.0"), List.of()).apply(GRID))
                .isEqualTo(GRID.subList(2, 4));
    }

    @Test
    void rejectsRulesWithoutEffect() {
        for (JobRules rules : List.of(
                new JobRules(List.of("qps>100"), List.of()),
                new JobRules(List.of("qqs=1"), List.of()),
                new JobRules(List.of(), List.of("qps: scheduler=sarathi|vllm")))) {
            assertThatThrownBy(() -> rules.apply(GRID)).isInstanceOf(StageException.class);
        }
        assertThatThrownBy(() -> new JobRules(List.of("qps"), List.of())).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> new JobRules(List.of("qps<x"), List.of())).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> new JobRules(List.of(), List.of("qps=1"))).isInstanceOf(StageException.class);
    }
}
