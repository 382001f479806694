package dev.stagesim.sim.training;

import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Enumerates the strategies that the rules allow, always in the same order, and counts what each rule rejects. */
final class StrategySpace {
    private static final int LONG_SEQUENCE = 8192;
    private static final int MOST_TENSOR = 64;
    private static final List<PipelineSchedule> USUAL =
            List.of(PipelineSchedule.ONE_F_ONE_B, PipelineSchedule.INTERLEAVED);

    private final Architecture model;
    private final TrainingMachine machine;
    private final TrainingJob job;
    private final SearchSpace space;
    private final Map<String, Long> rejected = new TreeMap<>();

    StrategySpace(Architecture model, TrainingMachine machine, TrainingJob job, SearchSpace space) {
        this.model = model;
        this.machine = machine;
        this.job = job;
        this.space = space;
    }

    /** How many combinations fell to each rule; a rule that cuts a branch counts once. */
    Map<String, Long> rejected() {
        return rejected;
    }

    private boolean refuse(String rule, boolean isBroken) {
        if (isBroken) {
            rejected.merge(rule, 1L, Long::sum);
        }
        return isBroken;
    }

    private static List<Integer> divisors(int number) {
        List<Integer> divisors = new ArrayList<>();
        for (int i = 1; i <= number; i++) {
            if (number % i == 0) {
                divisors.add(i);
            }
        }
        return divisors;
    }

    private static List<Integer> given(List<Integer> wanted, List<Integer> otherwise) {
        return wanted.isEmpty() ? otherwise : wanted;
    }

    void each(Consumer<Strategy> out) {
        for (int devices : space.devices()) {
            for (int t : given(space.tensor(), divisors(Math.min(devices, MOST_TENSOR)))) {
                if (refuse("tensor_divides_devices", devices % t != 0)
                        || refuse("tensor_divides_heads", model.heads() % t != 0)
                        || refuse("tensor_divides_widths", model.hidden() % t != 0 || model.feedForward() % t != 0)
                        || refuse("tensor_within_fast_links", t > machine.domain())) {
                    continue;
                }
                for (int p : given(space.pipeline(), divisors(devices / t))) {
                    if (refuse("pipeline_divides_devices", devices / t % p != 0)
                            || refuse("a_layer_for_each_stage", p > model.layers())) {
                        continue;
                    }
                    contexts(devices, t, p, out);
                }
            }
        }
    }

    private void contexts(int devices, int t, int p, Consumer<Strategy> out) {
        int rest = devices / (t * p);
        List<Integer> usual = new ArrayList<>(List.of(1));
        for (int c = 2; job.sequence() >= LONG_SEQUENCE && c <= rest && job.sequence() / c >= 1024; c *= 2) {
            usual.add(c);
        }
        for (int c : given(space.context(), usual)) {
            if (refuse("context_divides_devices", rest % c != 0)
                    || refuse("context_halves_divide_sequence", c > 1 && job.sequence() % (2 * c) != 0)
                    || refuse("tensor_divides_sequence", job.sequence() / c % t != 0)) {
                continue;
            }
            int d = rest / c;
            if (!refuse("data_divides_batch", job.globalBatch() % d != 0)) {
                experts(new int[] {t, p, c, d}, out);
            }
        }
    }

    private void experts(int[] degrees, Consumer<Strategy> out) {
        int t = degrees[0];
        int ranks = t * degrees[2] * degrees[3];
        if (!model.isMixture()) {
            virtuals(degrees, 1, 1, out);
            return;
        }
        for (int x : given(space.expert(), divisors(model.mixture().experts()))) {
            if (refuse("experts_divide", model.mixture().experts() % x != 0)) {
                continue;
            }
            for (int xt = 1; xt <= t; xt = xt == t ? t + 1 : t) {
                if (!refuse("experts_on_ranks", ranks % (x * xt) != 0)) {
                    virtuals(degrees, x, xt, out);
                }
            }
        }
    }

    private void virtuals(int[] degrees, int x, int xt, Consumer<Strategy> out) {
        int p = degrees[1];
        for (PipelineSchedule schedule : space.schedules().isEmpty() ? USUAL : space.schedules()) {
            boolean isInterleaved = schedule == PipelineSchedule.INTERLEAVED;
            if (p == 1 && schedule != PipelineSchedule.ONE_F_ONE_B) {
                continue;
            }
            if (!isInterleaved) {
                batches(degrees, new int[] {x, xt, Math.max(1, schedule.fixedChunks())}, schedule, out);
                continue;
            }
            List<Integer> usual = new ArrayList<>();
            for (int v = 2; v * p <= model.layers(); v++) {
                if (model.layers() % (v * p) == 0 || (model.layers() + 2) % (v * p) == 0 || v == 2 || v == 4) {
                    usual.add(v);
                }
            }
            for (int v : given(space.virtual(), usual)) {
                if (v > 1 && !refuse("a_layer_for_each_stage", v * p > model.layers())) {
                    batches(degrees, new int[] {x, xt, v}, schedule, out);
                }
            }
        }
    }

    private void batches(int[] degrees, int[] inner, PipelineSchedule schedule, Consumer<Strategy> out) {
        int d = degrees[3];
        int virtual = schedule == PipelineSchedule.INTERLEAVED ? inner[2] : 1;
        for (int b : given(space.microBatch(), powersOfTwo(job.globalBatch() / d))) {
            if (refuse("micro_batches_are_whole", job.globalBatch() % (d * b) != 0)) {
                continue;
            }
            int m = job.globalBatch() / (d * b);
            if (refuse(
                    "schedule_runs",
                    degrees[1] > 1 && !schedule.refusal(degrees[1], m, virtual).isEmpty())) {
                continue;
            }
            for (int zero : given(space.zero(), space.shard().isEmpty() ? List.of(0, 1, 2, 3) : List.of(1, 2, 3))) {
                // Shards of weights or gradients are gathered or scattered for every micro-batch of a pipeline.
                if (refuse(
                                "zero_2_and_3_without_pipeline",
                                zero >= 2 && degrees[1] > 1 && !space.zero().contains(zero))
                        || refuse("zero_needs_replicas", zero > 0 && d * degrees[2] == 1)) {
                    continue;
                }
                for (int shard : shards(degrees, inner, zero)) {
                    recomputations(degrees, inner, new int[] {virtual, b, zero, shard}, schedule, out);
                }
            }
        }
    }

    /** Replicas that share one set of states: all, and with ZeRO 3 those inside the fast links. */
    private List<Integer> shards(int[] degrees, int[] inner, int zero) {
        int replicas = degrees[2] * degrees[3];
        if (zero == 0) {
            return List.of(replicas);
        }
        if (space.shard().isEmpty()) {
            int near = Math.min(replicas, Math.max(1, machine.domain() / degrees[0]));
            while (replicas % near != 0) {
                near--;
            }
            boolean isHybrid =
                    zero == 3 && near > 1 && near < replicas && sharesExperts(degrees, inner, replicas / near);
            return isHybrid ? List.of(replicas, near) : List.of(replicas);
        }
        return space.shard().stream()
                .filter(shard -> !refuse("shard_divides_replicas", replicas % shard != 0)
                        && !refuse("groups_divide_experts_replicas", !sharesExperts(degrees, inner, replicas / shard)))
                .toList();
    }

    /** Whether so many groups have as many replicas of the experts each. */
    private boolean sharesExperts(int[] degrees, int[] inner, int groups) {
        int ranks = degrees[0] * degrees[2] * degrees[3] / (inner[0] * inner[1]);
        return !model.isMixture() || ranks % groups == 0;
    }

    private void recomputations(
            int[] degrees, int[] inner, int[] batch, PipelineSchedule schedule, Consumer<Strategy> out) {
        for (Recompute recompute : space.recompute().isEmpty() ? List.of(Recompute.values()) : space.recompute()) {
            if (recompute == Recompute.SELECTIVE && job.isFlash()) {
                continue;
            }
            if (recompute == Recompute.OPERATORS
                    && refuse("operators_of_dense_layers_only", model.isMixture() || model.isLatent())) {
                continue;
            }
            out.accept(new Strategy(
                    degrees[0],
                    degrees[1],
                    batch[0],
                    degrees[3],
                    degrees[2],
                    inner[0],
                    inner[1],
                    batch[2],
                    batch[3],
                    batch[1],
                    degrees[0] > 1,
                    recompute,
                    schedule));
        }
    }

    private static List<Integer> powersOfTwo(int most) {
        List<Integer> powers = new ArrayList<>();
        for (int b = 1; b <= most; b *= 2) {
            powers.add(b);
        }
        return powers;
    }
}
