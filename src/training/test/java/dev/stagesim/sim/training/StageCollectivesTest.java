package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StageCollectivesTest {
    private static final TrainingMachine H100 = TrainingMachine.of(CardFiles.hardware("h100"));
    private static final Architecture DENSE = Architecture.of(CardFiles.model("llama3_70b"));
    private static final Architecture MIXTURE = Architecture.of(CardFiles.model("deepseek_v3"));
    private static final TrainingJob JOB = new TrainingJob(
            8192,
            1024,
            TrainingMachine.Precision.BITS16,
            TrainingJob.Kernels.FUSED,
            new TrainingJob.Overlap(true, true, false),
            TrainingJob.Exchange.unlimited(true),
            TrainingJob.Storage.DEFAULT);

    private static StageCollectives stage(Architecture model, int t, int d, int c, int x, int xt, int zero) {
        return stage(H100, model, t, d, c, x, xt, zero);
    }

    private static StageCollectives stage(
            TrainingMachine machine, Architecture model, int t, int d, int c, int x, int xt, int zero) {
        Strategy s = new Strategy(
                new Strategy.Degrees(t, 4, d, c, x, xt),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                zero,
                d * c,
                1,
                t > 1,
                Recompute.FULL);
        Layout layout = Layout.even(model.layers(), 4);
        StepEstimate step = new StepEstimator(model, machine, JOB).estimate(s, layout);
        Candidate candidate = new Candidate(s, layout, step, new MemoryModel(model, JOB).fullest(s, layout));
        return StageCollectives.of(candidate, model, machine, JOB);
    }

    /** Dimensions transfer different parts at the same time. */
    @ParameterizedTest
    @CsvSource({
        "8,16,1,1,1,1",
        "4,16,2,1,1,1",
        "2,32,4,1,1,0",
        "1,64,1,1,1,3",
        "8,32,1,1,1,2",
        "1,128,1,64,1,1",
        "2,128,1,256,1,1",
        "1,64,1,8,1,1",
        "8,16,1,64,1,0",
        "2,64,1,8,2,1"
    })
    void isCloseToTheFormulasOnTheNetwork(int t, int d, int c, int x, int xt, int zero) {
        StageCollectives stage = stage(x == 1 ? DENSE : MIXTURE, t, d, c, x, xt, zero);
        assertThat(stage.rows()).isNotEmpty();
        assertThat(stage.dimensions().stream().reduce(1, Math::multiplyExact)).isEqualTo(t * d * c);
        for (StageCollectives.Row row : stage.rows()) {
            assertThat(row.network()).as(row.toString()).isCloseTo(row.formula(), within(0.12 * row.formula()));
        }
    }

    /** Exchanges within a domain and between domains. */
    @ParameterizedTest
    @CsvSource({"h100,64,8", "h100,64,64", "gb200,144,16", "gb200,144,72", "gb200,128,64"})
    void simulatesTheExpertExchange(String card, int d, int x) {
        TrainingMachine machine = TrainingMachine.of(CardFiles.hardware(card));
        StageCollectives.Row dispatch = stage(machine, MIXTURE, 1, d, 1, x, 1, 1).rows().stream()
                .filter(row -> row.part().equals("experts, dispatch"))
                .findFirst()
                .orElseThrow();
        assertThat(dispatch.bytes()).isEqualTo(2.0 * 8192 * MIXTURE.hidden() * 8);
        assertThat(dispatch.network()).isCloseTo(dispatch.formula(), within(0.05 * dispatch.formula()));
    }

    /** A ring takes its bytes divided by the link rate, and one latency per step. */
    @ParameterizedTest
    @CsvSource({"2", "4", "8"})
    void simulatesRingsWithinADomain(int t) {
        StageCollectives.Row gather = stage(DENSE, t, 1, 1, 1, 1, 0).rows().get(0);
        double bytes = 2.0 * 8192 * DENSE.hidden();
        double expected = (t - 1) * (bytes / t / (H100.link() * TrainingMachine.LINK_SHARE) + H100.hop(t, 1));
        assertThat(gather.part()).isEqualTo("tensor parallel, gather");
        assertThat(gather.members()).isEqualTo(t);
        assertThat(gather.bytes()).isEqualTo(bytes);
        assertThat(gather.network()).isCloseTo(expected, within(1e-6 * t + 1e-3 * expected));
    }

    @ParameterizedTest
    @CsvSource({"1,64", "2,32", "4,16", "8,8", "8,64"})
    void isLimitedByTheAdaptersBetweenHosts(int t, int d) {
        for (StageCollectives.Row row : stage(DENSE, t, d, 1, 1, 1, 1).rows()) {
            if (row.stride() == t && row.members() == d) {
                double nodes = t * d / 8.0;
                double own = row.bytes() * t / 8 * (nodes - 1) / nodes;
                assertThat(row.network()).isGreaterThan(own / (H100.network() * TrainingMachine.NETWORK_SHARE));
            }
        }
    }

    @Test
    void skipsGroupsThatDoNotNest() {
        StageCollectives stage = stage(MIXTURE, 4, 12, 1, 6, 1, 1);
        assertThat(stage.rows()).isEmpty();
        assertThat(stage.trace()).isEmpty();
    }

    @Test
    void tracesEachCollectiveOnce() {
        StageCollectives stage = stage(DENSE, 4, 16, 2, 1, 1, 1);
        assertThat(stage.dimensions()).containsExactly(4, 2, 16);
        assertThat(stage.trace()).hasSameSizeAs(stage.rows());
        assertThat(stage.trace().stream().map(EtNode::name))
                .containsExactly("ALL_GATHER", "REDUCE_SCATTER", "ALL_GATHER", "REDUCE_SCATTER", "ALL_GATHER");
    }
}
