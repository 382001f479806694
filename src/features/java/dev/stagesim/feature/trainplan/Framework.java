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

/** Training frameworks and the strategies that each of them can run; {@code specs/training-planner.md} has the table. */
enum Framework {
    /** Megatron-LM and NeMo, which runs Megatron Core. */
    MEGATRON_LM("Megatron-LM"),
    /** PyTorch's FSDP2 with tensor, pipeline, context and expert parallelism. */
    TORCHTITAN("torchtitan"),
    /** DeepSpeed with its ZeRO, pipeline and expert engines. */
    DEEPSPEED("DeepSpeed");

    private static final List<Rule> MEGATRON_LM_RULES = List.of(
            new Rule("its FSDP has no pipeline parallelism", q -> q.s.zero() >= 2 && q.s.pipeline() > 1),
            new Rule(
                    "it runs the schedules 1f1b and interleaved alone",
                    q -> q.s.pipeline() > 1
                            && q.s.schedule() != PipelineSchedule.ONE_F_ONE_B
                            && q.s.schedule() != PipelineSchedule.INTERLEAVED),
            new Rule(
                    "it keeps the activation function of dense feed-forward layers",
                    q -> q.s.recompute() == Recompute.POINTWISE && !q.model.isMixture()),
            new Rule("it has no policy that keeps every second product", q -> q.s.recompute() == Recompute.OPERATORS),
            new Rule(
                    "its FSDP does not recompute norms and activation functions alone",
                    q -> q.s.recompute() == Recompute.POINTWISE && q.s.zero() >= 2),
            new Rule(
                    "it cannot recompute half of the layers of a stage that has one",
                    q -> q.s.recompute() == Recompute.HALF && q.model.layers() < 2 * q.stages()),
            new Rule(
                    "it has no recipe with a scale for each row",
                    q -> q.settings.precision() == TrainingPrecision.FP8_ROWWISE),
            new Rule(
                    "it sends tokens to their experts in 16 bits",
                    q -> q.s.expert() > 1 && q.settings.software().fp8Dispatch()),
            new Rule(
                    "it overlaps the exchange of experts in a pipeline with virtual stages alone",
                    q -> q.s.expert() > 1
                            && q.s.pipeline() > 1
                            && q.s.virtual() == 1
                            && q.settings.software().overlapExpert()));

    private static final List<Rule> TORCHTITAN_RULES = List.of(
            new Rule("it shards the weights too and has no ZeRO 1", q -> q.s.zero() == 1),
            new Rule(
                    "its replicas without FSDP have no other parallelism",
                    q -> q.s.zero() == 0
                            && q.s.replicas() > 1
                            && q.s.tensor() * q.s.pipeline() * q.s.context() * q.s.expert() > 1),
            new Rule(
                    "the groups that share states do not divide its data-parallel ranks",
                    q -> q.s.zero() > 0 && q.s.data() % (q.s.replicas() / q.s.shardGroup()) != 0),
            new Rule(
                    "tensor parallelism does not divide the key-value heads",
                    q -> q.model.groups() % q.s.tensor() != 0),
            new Rule(
                    "it has no such schedule",
                    q -> q.s.pipeline() > 1 && !Rule.TORCH_SCHEDULES.contains(q.s.schedule())),
            new Rule(
                    "its selective checkpointing keeps every second product or every second layer",
                    q -> !Rule.TORCH_RECOMPUTE.contains(q.s.recompute())),
            new Rule(
                    "it has no converter to that precision",
                    q -> !Rule.TORCH_PRECISIONS.contains(q.settings.precision())));

    private static final List<Rule> DEEPSPEED_RULES = List.of(
            new Rule("its tensor parallelism has no sequence parallelism", q -> q.s.tensor() > 1),
            new Rule("its sequence parallelism exchanges heads instead of a ring", q -> q.s.context() > 1),
            new Rule("its pipeline engine takes ZeRO up to 1", q -> q.s.pipeline() > 1 && q.s.zero() >= 2),
            new Rule(
                    "its pipeline engine runs 1f1b alone",
                    q -> q.s.pipeline() > 1 && q.s.schedule() != PipelineSchedule.ONE_F_ONE_B),
            new Rule(
                    "its experts need ZeRO up to 2 and no pipeline",
                    q -> q.s.expert() > 1 && (q.s.zero() == 3 || q.s.pipeline() > 1)),
            new Rule(
                    "it shares states over all replicas, in groups with ZeRO 3 alone",
                    q -> q.s.zero() > 0 && q.s.zero() < 3 && q.s.shardGroup() < q.s.replicas()),
            new Rule(
                    "it recomputes whole layers or nothing",
                    q -> q.s.recompute() != Recompute.NONE && q.s.recompute() != Recompute.FULL),
            new Rule("its file trains in bf16", q -> q.settings.precision() != TrainingPrecision.BF16));

    /** A strategy of a model, which a framework is asked to run. */
    record StrategyRequest(Strategy s, Architecture model, TrainPlanSettings settings) {
        private int stages() {
            return s.pipeline() * s.chunks();
        }
    }

    /** A reason to refuse a strategy, and when it applies. */
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

    private final String words;

    Framework(String words) {
        this.words = words;
    }

    private List<Rule> rules() {
        return switch (this) {
            case MEGATRON_LM -> MEGATRON_LM_RULES;
            case TORCHTITAN -> TORCHTITAN_RULES;
            case DEEPSPEED -> DEEPSPEED_RULES;
        };
    }

    /** Name of the framework. */
    String words() {
        return words;
    }

    /** Why this framework cannot run a strategy; empty if it can. */
    Optional<String> refusal(StrategyRequest request) {
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

    /** The frameworks that can run a strategy. */
    static List<Framework> of(StrategyRequest request) {
        return Arrays.stream(values())
                .filter(framework -> framework.runs(request))
                .toList();
    }

    /** Whether a framework can run a strategy. */
    static boolean isAny(StrategyRequest request) {
        for (Framework framework : values()) {
            if (framework.runs(request)) {
                return true;
            }
        }
        return false;
    }
}
