package dev.stagesim.sim.training;

import dev.stagesim.sim.training.Strategy.Degrees;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Enumerates the valid strategies in a fixed order, and counts the combinations that each rule rejects. */
final class StrategySpace {
    private static final int LONG_SEQUENCE = 8192;
    private static final int MAX_TENSOR = 64;
    private static final List<PipelineSchedule> DEFAULT_SCHEDULES =
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

    /** Returns the number of combinations rejected by each rule. A rule that rejects a whole branch counts once. */
    Map<String, Long> rejected() {
        return rejected;
    }

    private boolean reject(String rule, boolean isBroken) {
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

    private static List<Integer> orDefault(List<Integer> values, List<Integer> defaults) {
        return values.isEmpty() ? defaults : values;
    }

    void each(Consumer<Strategy> out) {
        for (int devices : space.devices()) {
            for (int t : orDefault(space.axes().tensor(), divisors(Math.min(devices, MAX_TENSOR)))) {
                if (reject("tensor_divides_devices", devices % t != 0)
                        || reject("tensor_divides_heads", model.attention().heads() % t != 0)
                        || reject("tensor_divides_widths", model.hidden() % t != 0 || model.feedForward() % t != 0)
                        || reject("tensor_within_fast_links", t > machine.domain())) {
                    continue;
                }
                for (int p : orDefault(space.axes().pipeline(), divisors(devices / t))) {
                    if (reject("pipeline_divides_devices", devices / t % p != 0)
                            || reject("a_layer_for_each_stage", p > model.layers())) {
                        continue;
                    }
                    contexts(devices, t, p, out);
                }
            }
        }
    }

    private void contexts(int devices, int t, int p, Consumer<Strategy> out) {
        int rest = devices / (t * p);
        List<Integer> defaults = new ArrayList<>(List.of(1));
        for (int c = 2; job.sequence() >= LONG_SEQUENCE && c <= rest && job.sequence() / c >= 1024; c *= 2) {
            defaults.add(c);
        }
        for (int c : orDefault(space.axes().context(), defaults)) {
            if (reject("context_divides_devices", rest % c != 0)
                    || reject("context_halves_divide_sequence", c > 1 && job.sequence() % (2 * c) != 0)
                    || reject("tensor_divides_sequence", job.sequence() / c % t != 0)) {
                continue;
            }
            int d = rest / c;
            if (!reject("data_divides_batch", job.globalBatch() % d != 0)) {
                experts(new Degrees(t, p, d, c, 1, 1), out);
            }
        }
    }

    private void experts(Degrees degrees, Consumer<Strategy> out) {
        int t = degrees.tensor();
        int ranks = t * degrees.replicas();
        if (!model.isMixture()) {
            virtuals(degrees, out);
            return;
        }
        for (int x : orDefault(space.axes().expert(), divisors(model.mixture().experts()))) {
            if (reject("experts_divide", model.mixture().experts() % x != 0)) {
                continue;
            }
            for (int xt = 1; xt <= t; xt = xt == t ? t + 1 : t) {
                if (!reject("experts_on_ranks", ranks % (x * xt) != 0)) {
                    virtuals(new Degrees(t, degrees.pipeline(), degrees.data(), degrees.context(), x, xt), out);
                }
            }
        }
    }

    private void virtuals(Degrees degrees, Consumer<Strategy> out) {
        int p = degrees.pipeline();
        for (PipelineSchedule schedule : space.schedules().isEmpty() ? DEFAULT_SCHEDULES : space.schedules()) {
            boolean isInterleaved = schedule == PipelineSchedule.INTERLEAVED;
            if (p == 1 && schedule != PipelineSchedule.ONE_F_ONE_B) {
                continue;
            }
            if (!isInterleaved) {
                batches(degrees, 1, schedule, out);
                continue;
            }
            List<Integer> defaults = new ArrayList<>();
            for (int v = 2; v * p <= model.layers(); v++) {
                if (model.layers() % (v * p) == 0 || (model.layers() + 2) % (v * p) == 0 || v == 2 || v == 4) {
                    defaults.add(v);
                }
            }
            for (int v : orDefault(space.axes().virtual(), defaults)) {
                if (v > 1 && !reject("a_layer_for_each_stage", v * p > model.layers())) {
                    batches(degrees, v, schedule, out);
                }
            }
        }
    }

    private void batches(Degrees degrees, int virtual, PipelineSchedule schedule, Consumer<Strategy> out) {
        int d = degrees.data();
        for (int b : orDefault(space.microBatch(), powersOfTwo(job.globalBatch() / d))) {
            if (reject("micro_batches_are_whole", job.globalBatch() % (d * b) != 0)) {
                continue;
            }
            int m = job.globalBatch() / (d * b);
            if (reject(
                    "schedule_runs",
                    degrees.pipeline() > 1
                            && !schedule.refusal(degrees.pipeline(), m, virtual).isEmpty())) {
                continue;
            }
            for (int zero : orDefault(space.zero(), space.shard().isEmpty() ? List.of(0, 1, 2, 3) : List.of(1, 2, 3))) {
                // With a pipeline, sharded weights or gradients are transferred for each micro-batch, which is slow.
                if (reject(
                                "zero_2_and_3_without_pipeline",
                                zero >= 2
                                        && degrees.pipeline() > 1
                                        && !space.zero().contains(zero))
                        || reject("zero_needs_replicas", zero > 0 && degrees.replicas() == 1)) {
                    continue;
                }
                for (int shard : shards(degrees, zero)) {
                    for (Recompute recompute : recomputations()) {
                        out.accept(new Strategy(
                                degrees, schedule, virtual, zero, shard, b, degrees.tensor() > 1, recompute));
                    }
                }
            }
        }
    }

    /** Returns sharding group sizes: all replicas, and with ZeRO 3 also the replicas inside the fast domain. */
    private List<Integer> shards(Degrees degrees, int zero) {
        int replicas = degrees.replicas();
        if (zero == 0) {
            return List.of(replicas);
        }
        if (space.shard().isEmpty()) {
            int near = Math.min(replicas, Math.max(1, machine.domain() / degrees.tensor()));
            while (replicas % near != 0) {
                near--;
            }
            boolean isHybrid = zero == 3 && near > 1 && near < replicas && sharesExperts(degrees, replicas / near);
            return isHybrid ? List.of(replicas, near) : List.of(replicas);
        }
        return space.shard().stream()
                .filter(shard -> !reject("shard_divides_replicas", replicas % shard != 0)
                        && !reject("groups_divide_experts_replicas", !sharesExperts(degrees, replicas / shard)))
                .toList();
    }

    /** Returns true if expert replicas divide evenly over {@code groups} sharding groups. */
    private boolean sharesExperts(Degrees degrees, int groups) {
        int ranks = degrees.tensor() * degrees.replicas() / (degrees.expert() * degrees.expertTensor());
        return !model.isMixture() || ranks % groups == 0;
    }

    private List<Recompute> recomputations() {
        List<Recompute> policies = space.recompute().isEmpty() ? List.of(Recompute.values()) : space.recompute();
        return policies.stream()
                .filter(policy ->
                        policy != Recompute.SELECTIVE || !job.kernels().isFlash())
                .filter(policy -> policy != Recompute.OPERATORS
                        || !reject("operators_of_dense_layers_only", model.isMixture() || model.isLatent()))
                .toList();
    }

    private static List<Integer> powersOfTwo(int maximum) {
        List<Integer> powers = new ArrayList<>();
        for (int b = 1; b <= maximum; b *= 2) {
            powers.add(b);
        }
        return powers;
    }
}
