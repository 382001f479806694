package dev.stagesim.config.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SweepPlanTest {
    private static final SweepOptions OPTIONS =
            SweepOptions.of(group -> group.equals("db") ? List.of("mysql", "pg", "tf/a", "tf/b") : List.of());

    private static SweepPlan plan(String... overrides) {
        return SweepPlan.parse(Map.of(), List.of(overrides), OPTIONS);
    }

    private static List<String> jobs(SweepPlan plan) {
        List<String> jobs = new ArrayList<>();
        plan.forEach(job -> jobs.add(String.join(" ", job.overrides())));
        return jobs;
    }

    @Test
    void createsOneJobWithoutSweeps() {
        assertThat(jobs(plan())).containsExactly("");
        assertThat(jobs(plan("a=1", "~b"))).containsExactly("a=1 ~b");
    }

    @Test
    void variesTheLastKeyFastest() {
        assertThat(jobs(plan("a=1,2", "b=x", "c=y,z")))
                .containsExactly("a=1 b=x c=y", "a=1 b=x c=z", "a=2 b=x c=y", "a=2 b=x c=z");
    }

    @Test
    void countsARepeatedKeyOnceAtItsFirstPlace() {
        assertThat(jobs(plan("a=1,2", "b=1", "a=3"))).containsExactly("a=3 b=1");
        assertThat(jobs(plan("a=1", "+a=2"))).containsExactly("a=1 +a=2");
        assertThat(jobs(plan("a+=1", "a+=2,3"))).containsExactly("a+=1 a+=2", "a+=1 a+=3");
    }

    @Test
    void checksReplacedValues() {
        for (Dialect dialect : Dialect.values()) {
            SweepOptions options = OPTIONS.withDialect(dialect);
            List<String> overrides = List.of("a=interval(0,1)", "a=1");
            assertThrows(StageException.class, () -> SweepPlan.parse(Map.of(), overrides, options));
        }
    }

    @Test
    void replacesParametersByArguments() {
        Map<String, String> params = new LinkedHashMap<>();
        params.put("seed", "1,2");
        params.put("qps", "3");

        assertThat(jobs(SweepPlan.parse(params, List.of("db=x", "seed=5,6"), OPTIONS)))
                .containsExactly("seed=5 qps=3 db=x", "seed=6 qps=3 db=x");
    }

    @Test
    void matchesGlobsUpToSlashes() {
        assertThat(jobs(plan("db=glob(*)"))).containsExactly("db=mysql", "db=pg");
        assertThat(jobs(plan("db=glob(tf/*)"))).containsExactly("db=tf/a", "db=tf/b");
        assertThat(assertThrows(StageException.class, () -> plan("db=glob(zz*)"))
                        .getMessage())
                .contains("no option of 'db' matches")
                .contains("mysql, pg");
        assertThat(assertThrows(StageException.class, () -> plan("seed=glob(*)"))
                        .getMessage())
                .contains("'seed' is not a group");
        SweepOptions hydra = OPTIONS.withDialect(Dialect.HYDRA);
        assertThat(SweepPlan.parse(Map.of(), List.of("db=glob(zz*)"), hydra).size())
                .isZero();
    }

    @Test
    void keepsTheTypeOfStrings() {
        assertThat(jobs(plan("a=str(choice(1,true))", "b=${x},'c d'")))
                .containsExactly("a='1' b=${x}", "a='1' b='c d'", "a='true' b=${x}", "a='true' b='c d'");
    }

    @Test
    void advancesZippedKeysTogether() {
        assertThat(jobs(plan("mo=zip(model=choice(a,b),x.y=range(2))", "q=1,2")))
                .containsExactly("model=a x.y=0 q=1", "model=a x.y=0 q=2", "model=b x.y=1 q=1", "model=b x.y=1 q=2");
        assertThrows(StageException.class, () -> plan("mo=zip(db=glob(*),x=choice(1,2,3))"));
    }

    @Test
    void shufflesBySeed() {
        List<String> first = jobs(plan("a=shuffle(range(20))"));

        assertThat(jobs(plan("a=shuffle(range(20))"))).isEqualTo(first);
        assertThat(first).doesNotHaveDuplicates().hasSize(20).isNotEqualTo(jobs(plan("a=range(20)")));
        SweepOptions other = new SweepOptions(OPTIONS.dialect(), 1, OPTIONS.maxBatchSize(), OPTIONS.groupOptions());
        assertThat(jobs(SweepPlan.parse(Map.of(), List.of("a=shuffle(range(20))"), other)))
                .isNotEqualTo(first)
                .containsExactlyInAnyOrderElementsOf(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=interval(0,1)", "a=range(3,3)"})
    void rejectsSweepsWithoutValues(String text) {
        assertThrows(StageException.class, () -> plan(text));
    }

    @Test
    void splitsTheOrderIntoBatches() {
        SweepPlan plan = SweepPlan.parse(Map.of(), List.of("a=range(5)"), OPTIONS.withMaxBatchSize(2));

        assertThat(plan.batchCount()).isEqualTo(3);
        assertThat(plan.batchSize(2)).isEqualTo(1);
        assertThrows(StageException.class, () -> SweepPlan.parse(Map.of(), List.of(), OPTIONS.withMaxBatchSize(0)));
    }

    @Test
    void rejectsHugeSweeps() {
        SweepPlan plan = plan("a=range(100000)", "b=range(100000)", "c=range(1000)");

        assertThat(plan.size()).isEqualTo(10_000_000_000_000L);
        assertThat(plan.job(plan.size() - 1).overrides()).containsExactly("a=99999", "b=99999", "c=999");
        assertThrows(IndexOutOfBoundsException.class, () -> plan.job(plan.size()));
        String million = "=range(1000000)";
        assertThrows(StageException.class, () -> plan("a" + million, "b" + million, "c" + million, "d" + million));
    }
}
