package dev.stagesim.verify.vidur;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.Series;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** The worked examples A and B of the reference's specification, to the last bit. */
class WorkedExamplesTest {
    private static final Operator[] TOKEN_KEYED = {
        Operator.ATTN_PRE_PROJ, Operator.ATTN_POST_PROJ, Operator.ATTN_ROPE, Operator.MLP_UP_PROJ,
        Operator.MLP_DOWN_PROJ, Operator.MLP_ACT, Operator.INPUT_LAYERNORM, Operator.POST_ATTENTION_LAYERNORM,
        Operator.ADD
    };

    private static OperatorTimes tables() {
        TableTimes.Builder builder = TableTimes.builder(64);
        row(builder, 512, 0.23937, 0.088155, 0.02191, 0.40563, 0.22761, 0.036245, 0.01199, 0.01200, 0.00700);
        row(builder, 192, 0.12010, 0.04410, 0.01000, 0.191615, 0.11162, 0.01400, 0.00500, 0.00500, 0.00400);
        row(builder, 8, 0.06326, 0.02503, 0.00501, 0.11112, 0.06089, 0.00792, 0.00402, 0.00405, 0.00200);
        return builder.add(Operator.ATTN_KV_CACHE_SAVE, 1, 512, 0)
                .add(Operator.ATTN_PREFILL, 0, 0, 512, 512, 0.037806)
                .add(Operator.ATTN_PREFILL, 512, 512, 188, 188, 0.046934)
                .add(Operator.ATTN_DECODE, 1, 1, 704, 704, 0.017641)
                .add(Operator.ATTN_DECODE, 1, 1, 768, 768, 0.019873)
                .build();
    }

    private static void row(TableTimes.Builder builder, int tokens, double... ms) {
        for (int i = 0; i < ms.length; i++) {
            builder.add(TOKEN_KEYED[i], tokens, tokens, ms[i]);
        }
    }

    private final ServingSpec spec =
            ServingFixtures.worked(new SchedulerSpec.Sarathi(ServingFixtures.limits(128, 16, 0.01, 0), 512));

    @Test
    void matchesThePlanOfExampleA() {
        MemoryPlan plan = MemoryPlan.of(spec);
        assertThat(plan.parametersPerDevice()).isEqualTo(6_476_005_376L);
        assertThat(plan.kvBytesPerRequest()).isEqualTo(1L << 31);
        assertThat(plan.maxBatchFromMemory()).isEqualTo(29);
        assertThat(plan.numBlocks()).isEqualTo(7424);
        assertThat(plan.watermarkBlocks()).isEqualTo(74);
    }

    @Test
    void matchesTheChunkedRequestOfExampleA() {
        ServingFixtures.Log log = new ServingFixtures.Log();
        Utilization use = new Utilization(spec);
        ServingOutcome outcome = ServingSimulator.run(
                spec, ServingFixtures.trace(ServingFixtures.request(0.25, 700, 6)), tables(), log, use);

        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(log.batches).containsExactly("0:512", "0:188", "0:1", "0:1", "0:1", "0:1", "0:1");
        assertThat(outcome.events()).isEqualTo(45);
        assertThat(outcome.endSeconds()).isCloseTo(0.350704704, within());
        Map<String, IntToDoubleFunction> figures = RequestMetricTable.onCompletion(outcome.states());
        assertThat(figures.get("request_e2e_time").applyAsDouble(0)).isCloseTo(0.100704704, within());
        assertThat(figures.get("prefill_e2e_time").applyAsDouble(0)).isCloseTo(0.05248272, within());
        assertThat(figures.get("decode_time_execution_plus_preemption_normalized")
                        .applyAsDouble(0))
                .isCloseTo(0.008036997, org.assertj.core.data.Offset.offset(1e-9));
        assertThat(use.memory(0).max()).isEqualTo(100.0 * 45 / 7424);
        assertThat(use.memory(0).plainMean()).isCloseTo(0.51455, org.assertj.core.data.Offset.offset(1e-5));
        assertThat(use.busy(0, 0).weightedMean()).isCloseTo(100, within());
        assertThat(log.tokens).isEqualTo(6);
    }

    @Test
    void countsSegmentsThatStartAtZeroExceptInReferenceMode() {
        Series quirky = new Series(true);
        Series sound = new Series(false);
        for (Series series : new Series[] {quirky, sound}) {
            series.add(0, 50);
            series.add(1, 0);
            series.add(2, 10);
            series.add(3, 0);
        }
        assertThat(quirky.weightedMean()).isEqualTo(5);
        assertThat(sound.weightedMean()).isEqualTo(20);
    }

    private static org.assertj.core.data.Offset<Double> within() {
        return org.assertj.core.data.Offset.offset(1e-12);
    }
}
