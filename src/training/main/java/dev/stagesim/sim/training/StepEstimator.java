package dev.stagesim.sim.training;

import dev.stagesim.sim.training.LayerModel.Cost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Closed-form model of the time of a training step: computation of each stage, pipeline bubble, exposed collectives and optimizer.
 */
public final class StepEstimator {
    private static final double ROUNDING = 1e-12;

    /** Weight tensors of attention and norms per layer: query, key, value, output and two norms. */
    private static final double ATTENTION_TENSORS = 6;

    private static final double OVERLAP = 1 - TensorTraffic.COLLECTIVE_UNITS;
    /**
     * Returns the seconds that an overlapped collective adds to computation: the device share that it takes or its
     * exposed remainder, whichever is larger.
     */
    private static double exposed(double collective, double work) {
        return Math.max(TensorTraffic.COLLECTIVE_UNITS * collective, collective - OVERLAP * work);
    }

    private final Architecture model;
    private final TrainingMachine machine;
    private final TrainingJob job;
    private final LayerModel layers;
    private final LinkRatios ratios;
    /** Slowdown due to varying device speed, by number of devices. */
    private final Map<Integer, Double> slowest = new LinkedHashMap<>();

    public StepEstimator(Architecture model, TrainingMachine machine, TrainingJob job) {
        this(model, machine, job, LinkRatios.NONE);
    }

    StepEstimator(Architecture model, TrainingMachine machine, TrainingJob job, LinkRatios ratios) {
        this.model = model;
        this.machine = machine;
        this.job = job;
        this.ratios = ratios;
        layers = new LayerModel(model, machine, job, ratios);
    }

    /** Estimates the time of a step. */
    public StepEstimate estimate(Strategy s, Layout layout) {
        Cost dense = layers.layer(s, false);
        Cost mixture = model.isMixture() ? layers.layer(s, true) : Cost.NONE;
        Cost head = layers.head(s);
        int stages = layout.stages();
        double[] forward = new double[stages];
        double[] input = new double[stages];
        double[] weight = new double[stages];
        double[] parts = new double[6];
        for (int i = 0; i < stages; i++) {
            int mixtures = layout.mixtures(model, i);
            int plain = layout.layers(i) - mixtures;
            forward[i] = plain * dense.forwardAll() + mixtures * mixture.forwardAll();
            input[i] = plain * dense.inputAll() + mixtures * mixture.inputAll();
            weight[i] = plain * dense.weight() + mixtures * mixture.weight();
            if (i == stages - 1) {
                forward[i] += head.forwardAll();
                input[i] += head.inputAll();
                weight[i] += head.weight();
            }
        }
        double share = 1.0 / s.pipeline();
        int mixtures = model.mixturesBefore(model.layers());
        int plain = model.layers() - mixtures;
        parts[0] = share * (plain * dense.forward() + mixtures * mixture.forward() + head.forward());
        parts[1] = share
                * (plain * (dense.input() + dense.weight())
                        + mixtures * (mixture.input() + mixture.weight())
                        + head.input()
                        + head.weight());
        parts[2] = share * (plain * dense.recomputation() + mixtures * mixture.recomputation());
        parts[3] = share
                * (plain * (dense.tensor() + dense.tensorBackward() + dense.repeatedCollectives())
                        + mixtures * (mixture.tensor() + mixture.tensorBackward() + mixture.repeatedCollectives())
                        + head.tensor()
                        + head.tensorBackward());
        parts[4] = share
                * (plain * (dense.context() + dense.contextBackward())
                        + mixtures * (mixture.context() + mixture.contextBackward()));
        parts[5] = share * mixtures * 2 * mixture.expert();
        StepEstimate uniform = new Assembly(s, layout, forward, input, weight, parts).estimate();
        return machine.spread() == 0 ? uniform : uniform.times(slowest.computeIfAbsent(s.devices(), machine::slowest));
    }

    /** Returns a lower bound in seconds for every estimate of the strategy: products and attention at full rate, no communication. */
    double bound(Strategy s) {
        double tokens = (double) job.globalBatch() * job.sequence();
        double attention = model.layers() * model.attentionFlops(job.sequence());
        double recomputedShare =
                s.recompute() == Strategy.Recompute.FULL ? 1 : s.recompute() == Strategy.Recompute.HALF ? 0.5 : 0;
        double products = 2 * (model.activeWeights() - model.vocabularyWeights()) * (3 + recomputedShare);
        double head = 6 * model.vocabularyWeights();
        double scores = job.kernels().isFlash()
                ? attention / 2 * (3.5 + recomputedShare)
                : attention * (1 + LayerModel.BACKWARD_UNFUSED + recomputedShare);
        double attentionRate = job.kernels().isFlash()
                ? machine.attentionRate(
                        (model.attention().keyWidth() + model.attention().valueWidth()) / 2.0, job)
                : machine.productRate(TrainingMachine.Precision.BITS16) * LayerModel.UNFUSED_SCORES_SHARE;
        double all = products / machine.productRate(job.precision())
                + head / machine.productRate(TrainingMachine.Precision.BITS16)
                + scores / attentionRate;
        return FLOOR * all * tokens / s.devices();
    }

    /** Tolerance for rounding in the bound. */
    private static final double FLOOR = 1 - 1e-9;

    /** Returns the seconds of an all-gather or reduce-scatter over {@code members} replicas with distance {@code stride}. */
    double ring(double bytes, int members, int stride) {
        return members <= 1
                ? 0
                : (members - 1.0) / members * bytes / machine.ring(members, stride)
                        + Math.min(members - 1, 32) * machine.hop(members, stride);
    }

    /**
     * Weights that all replicas have in common, with states sharded over {@code members} of the {@code all} replicas.
     */
    private final class Shards {
        final double held;
        final int members;
        private final int all;
        private final int stride;
        private final double ratio;

        Shards(double held, int members, int all, int stride, double ratio) {
            this.held = held;
            this.members = members;
            this.all = all;
            this.stride = stride;
            this.ratio = ratio;
        }

        /** Returns the seconds of a gather or scatter of {@code bytes} bytes per weight over one sharding group. */
        double ring(double bytes) {
            return held == 0 ? 0 : ratio * StepEstimator.this.ring(bytes * held, members, stride);
        }

        /** Returns the seconds of the all-reduce of gradient shards between sharding groups. */
        double acrossGroups() {
            return held == 0
                    ? 0
                    : ratio
                            * 2
                            * StepEstimator.this.ring(
                                    job.storage().gradientBytes() * held / members, all / members, stride * members);
        }
    }

    /** Combines the times of the stages of one strategy. */
    private final class Assembly {
        private final Strategy s;
        private final Layout layout;
        private final double[] forward;
        private final double[] input;
        private final double[] weight;
        private final double[] parts;
        private final int m;

        Assembly(Strategy s, Layout layout, double[] forward, double[] input, double[] weight, double[] parts) {
            this.s = s;
            this.layout = layout;
            this.forward = forward;
            this.input = input;
            this.weight = weight;
            this.parts = parts;
            this.m = s.microBatches(job.globalBatch());
        }

        StepEstimate estimate() {
            double exposedGather = exposeGathers();
            StepEstimate.Stages stages = new StepEstimate.Stages(forward, input, weight, transfer());
            double makespan = ClosedForm.makespan(s, m, stages);
            double work = 0;
            for (double part : parts) {
                work += m * part;
            }
            // Ignores rounding differences between the two sums.
            double idle = makespan - work - exposedGather;
            double data = data() + weightBroadcasts();
            double optimizer = job.optimizerTraffic() * owned() / (machine.bandwidth() * TrainingMachine.MEMORY_SHARE);
            double step = makespan + data + optimizer;
            return new StepEstimate(
                    step,
                    m * parts[0],
                    m * parts[1],
                    m * parts[2],
                    m * parts[3],
                    m * parts[4],
                    m * parts[5],
                    idle > ROUNDING * makespan ? idle : 0,
                    data + exposedGather,
                    optimizer,
                    stages);
        }

        /**
         * Adds exposed gathers and scatters to the stage times. Sharded weights are gathered in each pass, and sharded gradients are scattered
         * in each backward pass, for every micro-batch.
         */
        private double exposeGathers() {
            double exposed = 0;
            if (s.zero() < 2 || Math.max(s.shardGroup(), s.expertShards()) <= 1) {
                return exposed;
            }
            double gather = 0;
            double scatter = 0;
            for (Shards shards : shards()) {
                gather += s.zero() < 3 ? 0 : shards.ring(job.gatheredBytes()) / s.chunks();
                scatter += shards.ring(job.storage().gradientBytes()) / s.chunks();
            }
            for (int i = 0; i < forward.length; i++) {
                double f = forward[i];
                double b = input[i] + weight[i];
                double slowForward = exposed(gather, f);
                double slowBackward = exposed(gather + scatter, b);
                forward[i] += slowForward;
                input[i] += slowBackward;
                exposed += m * (slowForward + slowBackward) / s.pipeline();
            }
            return exposed;
        }

        private double owned() {
            double owned = 0;
            for (Shards shards : shards()) {
                owned += s.zero() == 0 ? shards.held : shards.held / shards.members;
            }
            return owned;
        }

        private List<Shards> shards() {
            double[] weights = MemoryModel.maxRankWeights(model, s, layout);
            boolean isWhole = s.zero() == 0;
            int dense = isWhole ? s.replicas() : Math.min(s.shardGroup(), s.replicas());
            int experts = s.expertReplicas();
            return List.of(
                    new Shards(weights[0], dense, s.replicas(), s.tensor(), ratios.data()),
                    new Shards(
                            weights[1],
                            isWhole ? experts : s.expertShards(),
                            experts,
                            s.expert() * s.expertTensor(),
                            ratios.expertData()));
        }

        private double transfer() {
            if (s.pipeline() == 1) {
                return 0;
            }
            double bytes = 2.0 * s.microBatch() * job.sequence() / s.context() * model.hidden();
            int stride = s.tensor() * s.context() * s.data();
            return bytes / (s.isSequence() ? s.tensor() : 1) / machine.message(stride, s.pipeline())
                    + machine.hop(2, stride);
        }

        /** Returns the exposed seconds of gradient reduction and weight gathering at the end of a step. */
        private double data() {
            double gradients = 0;
            double gathers = 0;
            for (Shards shards : shards()) {
                double reduce = shards.ring(job.storage().gradientBytes());
                if (s.zero() == 0) {
                    gradients += 2 * reduce;
                } else {
                    gradients += (s.zero() == 1 ? reduce : 0) + shards.acrossGroups();
                    gathers += s.zero() == 3 ? 0 : shards.ring(job.gatheredBytes());
                }
            }
            if (!job.overlap().data()) {
                return gradients + gathers;
            }
            double windowBack = 0;
            double windowForward = 0;
            for (int i = 0; i < forward.length; i++) {
                windowBack = Math.max(windowBack, input[i] + weight[i]);
                windowForward = Math.max(windowForward, forward[i]);
            }
            double early = s.virtual() > 1 ? (double) Math.min(m, s.pipeline()) * (s.virtual() - 1) : 1;
            double last = 1.0 / Math.max(1, model.layers() / s.pipeline());
            return Math.max(last * gradients, exposed(gradients, windowBack * early))
                    + Math.max(last * gathers, exposed(gathers, windowForward * early));
        }

        /** Returns the latency of rings that send updated weights tensor by tensor. */
        private double weightBroadcasts() {
            if (job.storage().sharding() != TrainingJob.Sharding.TENSORS || s.zero() == 0 || s.zero() == 3) {
                return 0;
            }
            int members = Math.min(s.shardGroup(), s.replicas());
            double tensors = (double) model.layers() / s.pipeline() * (ATTENTION_TENSORS + model.matrices());
            return tensors * (members - 1) * machine.hop(members, s.tensor());
        }
    }
}
