package dev.stagesim.feature.trainplan;

import dev.stagesim.feature.trainplan.TrainPlanSettings.TrainingPrecision;
import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Training frameworks and the strategies that they support; {@code specs/training-planner.md} has the table. */
enum Framework {
    /** Megatron-LM, and NeMo, which is based on Megatron Core. */
    MEGATRON_LM("Megatron-LM"),
    /** PyTorch FSDP2 with tensor, pipeline, context and expert parallelism. */
    TORCHTITAN("torchtitan"),
    /** DeepSpeed with its ZeRO, pipeline and expert engines. */
    DEEPSPEED("DeepSpeed");

    private static final List<Rule> MEGATRON_LM_RULES = List.of(
            new Rule("its FSDP does not support pipeline parallelism", q -> q.s.zero() >= 2 && q.s.pipeline() > 1),
            new Rule(
                    "it supports only the schedules 1f1b and interleaved",
                    q -> q.s.pipeline() > 1
                            && q.s.schedule() != PipelineSchedule.ONE_F_ONE_B
                            && q.s.schedule() != PipelineSchedule.INTERLEAVED),
            new Rule(
                    "it does not recompute the activation function of dense feed-forward layers",
                    q -> q.s.recompute() == Recompute.POINTWISE && !q.model.isMixture()),
            new Rule("it has no policy that keeps every second product", q -> q.s.recompute() == Recompute.OPERATORS),
            new Rule(
                    "its FSDP cannot recompute only norms and activation functions",
                    q -> q.s.recompute() == Recompute.POINTWISE && q.s.zero() >= 2),
            new Rule(
                    "it cannot recompute half of the layers of a stage with one layer",
                    q -> q.s.recompute() == Recompute.HALF && q.model.layers() < 2 * q.stages()),
            new Rule(
                    "it has no recipe with row-wise scales",
                    q -> q.settings.precision() == TrainingPrecision.FP8_ROWWISE),
            new Rule(
                    "it dispatches tokens to experts in 16 bits",
                    q -> q.s.expert() > 1 && q.settings.software().dispatch().fp8Dispatch()),
            new Rule(
                    "it overlaps expert all-to-all in a pipeline only with virtual stages",
                    q -> q.s.expert() > 1
                            && q.s.pipeline() > 1
                            && q.s.virtual() == 1
                            && q.settings.software().overlaps().overlapExpert()));

    private static final List<Rule> TORCHTITAN_RULES = List.of(
            new Rule("it always shards the weights, so it has no ZeRO 1", q -> q.s.zero() == 1),
            new Rule(
                    "its replicas without FSDP support no other parallelism",
                    q -> q.s.zero() == 0
                            && q.s.replicas() > 1
                            && q.s.tensor() * q.s.pipeline() * q.s.context() * q.s.expert() > 1),
            new Rule(
                    "the shard groups do not divide its data-parallel ranks",
                    q -> q.s.zero() > 0 && q.s.data() % (q.s.replicas() / q.s.shardGroup()) != 0),
            new Rule(
                    "tensor parallelism does not divide the key-value heads",
                    q -> q.model.attention().groups() % q.s.tensor() != 0),
            new Rule(
                    "it does not support the schedule",
                    q -> q.s.pipeline() > 1 && !Rule.TORCH_SCHEDULES.contains(q.s.schedule())),
            new Rule(
                    "its selective checkpointing keeps every second product or every second layer",
                    q -> !Rule.TORCH_RECOMPUTE.contains(q.s.recompute())),
            new Rule(
                    "it has no converter for the precision",
                    q -> !Rule.TORCH_PRECISIONS.contains(q.settings.precision())));

    private static final List<Rule> DEEPSPEED_RULES = List.of(
            new Rule("its tensor parallelism has no sequence parallelism", q -> q.s.tensor() > 1),
            new Rule("its sequence parallelism exchanges heads instead of using a ring", q -> q.s.context() > 1),
            new Rule("its pipeline engine supports at most ZeRO 1", q -> q.s.pipeline() > 1 && q.s.zero() >= 2),
            new Rule(
                    "its pipeline engine supports only 1f1b",
                    q -> q.s.pipeline() > 1 && q.s.schedule() != PipelineSchedule.ONE_F_ONE_B),
            new Rule(
                    "its experts require at most ZeRO 2 and no pipeline",
                    q -> q.s.expert() > 1 && (q.s.zero() == 3 || q.s.pipeline() > 1)),
            new Rule(
                    "it shards states over all replicas; groups require ZeRO 3",
                    q -> q.s.zero() > 0 && q.s.zero() < 3 && q.s.shardGroup() < q.s.replicas()),
            new Rule(
                    "it recomputes whole layers or nothing",
                    q -> q.s.recompute() != Recompute.NONE && q.s.recompute() != Recompute.FULL),
            new Rule("its configuration file trains in bf16", q -> q.settings.precision() != TrainingPrecision.BF16));

    /** A strategy of a model. */
    record StrategyRequest(Strategy s, Architecture model, TrainPlanSettings settings) {
        private int stages() {
            return s.pipeline() * s.chunks();
        }
    }

    /** A reason to reject a strategy, and its condition. */
    private record Rule(String reason, Predicate<StrategyRequest> applies) {
        private static final Set<PipelineSchedule> TORCH_SCHEDULES = EnumSet.of(
                PipelineSchedule.GPIPE,
                PipelineSchedule.ONE_F_ONE_B,
                PipelineSchedule.INTERLEAVED,
                PipelineSchedule.ZB_V,
                PipelineSchedule.DUALPIPE_V);
        private static final Set<Recompute> TORCH_RECOMPUTE =
                EnumSet.of(Recompute.NONE, Recompute.OPERATORS, Recompute.HALF, Recompute.FULL);
        private static final Set<TrainingPrecision> TORCH_PRECISIONS = EnumSet.of(
                TrainingPrecision.BF16,
                TrainingPrecision.FP8_TENSORWISE,
                TrainingPrecision.FP8_ROWWISE,
                TrainingPrecision.MXFP8);
    }

    private final String label;

    Framework(String label) {
        this.label = label;
    }

    private List<Rule> rules() {
        return switch (this) {
            case MEGATRON_LM -> MEGATRON_LM_RULES;
            case TORCHTITAN -> TORCHTITAN_RULES;
            case DEEPSPEED -> DEEPSPEED_RULES;
        };
    }

    String label() {
        return label;
    }

    /** Returns why this framework does not support a strategy; empty if it does. */
    Optional<String> whyUnsupported(StrategyRequest request) {
        return rules().stream()
                .filter(rule -> rule.applies().test(request))
                .map(Rule::reason)
                .findFirst();
    }

    private boolean runs(StrategyRequest request) {
        for (Rule rule : rules()) {
            if (rule.applies().test(request)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the frameworks that support a strategy. */
    static List<Framework> of(StrategyRequest request) {
        return Arrays.stream(values())
                .filter(framework -> framework.runs(request))
                .toList();
    }

    /** True if any framework supports a strategy. */
    static boolean isAny(StrategyRequest request) {
        for (Framework framework : values()) {
            if (framework.runs(request)) {
                return true;
            }
        }
        return false;
    }
}
