package dev.stagesim.sim.training;

import dev.stagesim.sim.kernels.Kernels;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingMachine.Precision;
import dev.stagesim.sim.training.schedule.PipelineSchedule;

/**
 * Time of one layer for one micro-batch on one device.
 *
 * <p>Implements the kernel model of specs/training-planner.md: matrix products run at a share of the peak on full tiles, fused attention at
 * a share of the 16-bit peak, element-wise kernels at a share of the memory bandwidth, and collectives as rings.
 */
record LayerModel(Architecture model, TrainingMachine machine, TrainingJob job, LinkRatios ratios) {
    private static final double TILE = 128;
    private static final double BACKWARD_ATTENTION = 2.5;
    static final double BACKWARD_UNFUSED = 2;
    static final double UNFUSED_SCORES_SHARE = 0.85;
    private static final double HOST_BACKWARD = 1.4;
    private static final double HOST_BACKWARD_FULL = 2.4;
    /** Factor on the host time of a layer with experts: routing, sorting, expert kernels, and synchronisation for the token counts. */
    private static final double HOST_MIXTURE = 8;

    /** Skew between members of a tensor-parallel group at a collective, as a share of the host time of a layer. */
    private static final double HOST_WAIT = 0.07;

    /** Share of norms and activation functions in the memory traffic of element-wise kernels. */
    private static final double POINTWISE_SHARE = 0.4;

    private static final double LAUNCH = 4e-6;

    /**
     * Bytes per output value to accumulate one part of a context-parallel ring. The part is read (2), scaled and written in 32 bits (4), read
     * (4), and added to the sum (2 + 2). The backward pass adds query gradients without scaling (2 + 2 + 2).
     */
    private static final double MERGE_BYTES = 14;

    private static final double MERGE_BACKWARD = 6;

    /** Share of accumulated outputs under a causal mask: in half of the parts, half of a device's queries have no keys. */
    private static final double CAUSAL_PARTS = 0.75;

    /** Memory traffic of a fused loss in bytes per logit, forward and backward. */
    private static final double[] LOSS_FUSED = {12, 6};

    /** Memory traffic of a loss of separate 32-bit operations in bytes per logit, forward and backward. */
    private static final double[] LOSS_UNFUSED = {38, 14};

    /**
     * Seconds of a layer.
     *
     * @param forward forward computation: products, attention and element-wise kernels
     * @param input computation of input gradients
     * @param weight computation of weight gradients
     * @param recomputation recomputation of activations
     * @param tensor exposed tensor-parallel collectives, forward
     * @param context exposed context-parallel exchange, forward
     * @param expert exposed exchange of tokens with experts, forward
     * @param repeatedCollectives repeated collectives of recomputation
     * @param tensorBackward exposed tensor-parallel collectives, backward
     * @param contextBackward exposed context-parallel exchange, backward
     */
    record Cost(
            double forward,
            double input,
            double weight,
            double recomputation,
            double tensor,
            double context,
            double expert,
            double repeatedCollectives,
            double tensorBackward,
            double contextBackward) {
        static final Cost NONE = new Cost(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

        double forwardAll() {
            return forward + tensor + context + expert;
        }

        double inputAll() {
            return input + recomputation + repeatedCollectives + tensorBackward + contextBackward + expert;
        }

        double backwardAll() {
            return inputAll() + weight;
        }
    }

    /** Returns the time of one layer for one micro-batch. */
    Cost layer(Strategy s, boolean isMixture) {
        double rows = (double) s.microBatch() * job.sequence() / s.context();
        boolean isFlash = job.kernels().isFlash();
        Work work = new Work(s, rows, isMixture);
        double attention = attention(s, rows);
        double elementwise = elementwise(s, rows, isMixture);
        double forward = work.products + attention + elementwise + work.casts;
        double backwardRest = 2 * elementwise + ((isFlash ? BACKWARD_ATTENTION : BACKWARD_UNFUSED) - 1) * attention;
        double input = work.products + attention + backwardRest + work.castsBackward;
        double weight = Math.max(work.products, work.weightTraffic);
        TensorTraffic.Exposed tensor = tensor(s, rows, work, isMixture, forward);
        double context = context(s, rows, attention, 1) + merge(s, rows, MERGE_BYTES);
        double contextBackward = context(s, rows, BACKWARD_ATTENTION * attention, 2) + merge(s, rows, MERGE_BACKWARD);
        double expert = isMixture ? expert(s, rows) : 0;
        boolean isPaired = s.schedule() == PipelineSchedule.DUALPIPE || s.schedule() == PipelineSchedule.DUALPIPE_V;
        if (isMixture && (job.overlap().expert() || isPaired)) {
            expert = Math.max(0, expert - 0.8 * (forward + work.products));
        }
        double share = s.recompute() == Recompute.FULL ? 1 : s.recompute() == Recompute.HALF ? 0.5 : 0;
        double recomputation = share * forward;
        double repeatedCollectives = share * (tensor.forward() + context + expert);
        if (s.recompute() == Recompute.SELECTIVE && !isFlash) {
            recomputation = attention + scoreTraffic(s, rows);
        } else if (s.recompute() == Recompute.POINTWISE) {
            recomputation = POINTWISE_SHARE * elementwise + work.expansion;
        } else if (s.recompute() == Recompute.MODULES) {
            recomputation = work.modules;
        } else if (s.recompute() == Recompute.OPERATORS) {
            recomputation = elementwise + recomputedProducts(s, rows, work) + (isFlash ? 0 : attention);
            // Outputs of reduce-scatters are kept, those of all-gathers are not.
            repeatedCollectives = tensor.forward() / 2 + context;
        }
        Cost cost = new Cost(
                forward,
                input,
                weight,
                recomputation,
                tensor.forward(),
                context,
                expert,
                repeatedCollectives,
                tensor.backward(),
                contextBackward);
        return withHostTime(cost, s.recompute() == Recompute.OPERATORS ? 1 : share, isMixture);
    }

    /**
     * Returns the seconds to recompute the products whose results the operator policy drops. In 8 or 4 bits these are all products, in 16 bits
     * the key and output projections and one feed-forward projection.
     */
    private double recomputedProducts(Strategy s, double rows, Work work) {
        if (job.precision() != Precision.BITS16) {
            return work.products + work.casts;
        }
        double t = s.tensor();
        double h = model.hidden();
        double keys =
                Math.max(1, model.attention().groups() / t) * model.attention().keyWidth();
        double wide = model.feedForward() / t;
        boolean isGated = model.matrices() > 2;
        return product(rows, keys, h, Precision.BITS16)
                + product(rows, h, model.attention().heads() * model.attention().valueWidth() / t, Precision.BITS16)
                + product(rows, isGated ? wide : h, isGated ? h : wide, Precision.BITS16);
    }

    /** Returns the time of the output head and the loss. */
    Cost head(Strategy s) {
        double rows = (double) s.microBatch() * job.sequence() / s.context();
        double columns = model.vocabulary() / s.tensor();
        double product = product(rows, columns, model.hidden(), Precision.BITS16);
        double[] bytes = job.kernels().isFlash() ? LOSS_FUSED : LOSS_UNFUSED;
        double logits = rows * columns / memoryRate();
        double reduce = s.tensor() == 1 ? 0 : ring(rows * model.hidden() * 2, s.tensor(), 1);
        return new Cost(
                product + logits * bytes[0], product + logits * bytes[1], product, 0, reduce, 0, 0, 0, reduce, 0);
    }

    private Cost withHostTime(Cost cost, double recomputedShare, boolean isMixture) {
        double minimum = job.kernels().host() * (isMixture ? HOST_MIXTURE : 1);
        double forward = Math.max(cost.forward, minimum - cost.tensor - cost.context - cost.expert);
        double back = HOST_BACKWARD + (HOST_BACKWARD_FULL - HOST_BACKWARD) * recomputedShare;
        double hostBound = Math.max(0, back * minimum - cost.backwardAll());
        return new Cost(
                forward,
                cost.input + hostBound,
                cost.weight,
                cost.recomputation,
                cost.tensor,
                cost.context,
                cost.expert,
                cost.repeatedCollectives,
                cost.tensorBackward,
                cost.contextBackward);
    }

    private double memoryRate() {
        return machine.bandwidth() * TrainingMachine.MEMORY_SHARE;
    }

    /** Returns the seconds of a product of a {@code rows} x {@code depth} and a {@code depth} x {@code columns} matrix. */
    private double product(double rows, double columns, double depth, Precision precision) {
        double flops = 2 * rows * columns * depth;
        double bytes = 2 * (rows * columns + rows * depth + columns * depth);
        double fill = Kernels.fill(rows, columns, depth, machine.generation().multiprocessors());
        return Math.max(flops / (machine.productRate(precision) * fill), bytes / memoryRate()) + LAUNCH;
    }

    /** Seconds of the matrix products of a layer and of related work. */
    private final class Work {
        double products;
        double modules;
        double casts;
        double castsBackward;
        double weightTraffic;
        double expansion;
        /** Products of attention and of the feed-forward network that follow a tensor-parallel all-gather. */
        final double[] first = new double[2];
        /** Products of attention and of the feed-forward network before a reduce-scatter. */
        final double[] last = new double[2];

        Work(Strategy s, double rows, boolean isMixture) {
            double t = s.tensor();
            double h = model.hidden();
            attentionProducts(s, rows);
            double before = products;
            if (isMixture) {
                Architecture.Mixture moe = model.mixture();
                double localExperts = (double) moe.experts() / s.expert();
                double routed = routedRows(s, rows);
                double each = routed / localExperts;
                double width = moe.width() / s.expertTensor();
                add(routed, (model.matrices() - 1) * width, h, each);
                add(routed, h, width, each);
                if (moe.sharedWidth() > 0) {
                    first[1] = -products;
                    add(rows, (model.matrices() - 1) * moe.sharedWidth() / t, h, rows);
                    first[1] += products;
                    last[1] = -products;
                    add(rows, h, moe.sharedWidth() / t, rows);
                    last[1] += products;
                }
                products += product(rows, moe.experts(), h, Precision.BITS16);
            } else {
                double f = model.feedForward() / t;
                add(rows, (model.matrices() - 1) * f, h, rows);
                first[1] = products - before;
                add(rows, h, f, rows);
                last[1] = products - before - first[1];
            }
            modules = products - before;
        }

        private void attentionProducts(Strategy s, double rows) {
            double t = s.tensor();
            double h = model.hidden();
            double queries = model.attention().heads() * model.attention().keyWidth();
            double groups = Math.max(1, model.attention().groups() / t);
            if (model.isLatent()) {
                Architecture.Latent latent = model.attention().latent();
                double expandedQueries = 0;
                if (latent.query() > 0) {
                    add(rows, latent.query() + latent.keyValue() + latent.position(), h, rows);
                    double compressed = products;
                    add(rows, queries / t, latent.query(), rows);
                    expandedQueries = products - compressed;
                } else {
                    add(rows, queries / t + latent.keyValue() + latent.position(), h, rows);
                }
                double keys = model.attention().expandedWidth();
                double before = products;
                add(rows, keys / t, latent.keyValue(), rows);
                expansion = products - before + (latent.query() > 0 ? expandedQueries : 0);
            } else {
                add(
                        rows,
                        queries / t
                                + groups
                                        * (model.attention().keyWidth()
                                                + model.attention().valueWidth()),
                        h,
                        rows);
            }
            first[0] = products;
            add(rows, h, model.attention().heads() * model.attention().valueWidth() / t, rows);
            last[0] = products - first[0];
        }

        /** Adds a product. {@code each} is the number of rows per expert, or {@code rows} if all rows use the same weights. */
        private void add(double rows, double columns, double depth, double each) {
            double parts = Math.max(1, rows / Math.max(1, each));
            double seconds = each >= rows
                    ? product(rows, columns, depth, job.precision())
                    : grouped(rows, columns, depth, each, parts);
            products += seconds;
            // The forward pass casts inputs, the backward pass output gradients.
            casts += rows * depth * job.precision().cast() / memoryRate();
            castsBackward += rows * columns * job.precision().cast() / memoryRate();
            weightTraffic += columns * depth * parts * 2 * job.storage().gradientBytes() / memoryRate();
        }

        private double grouped(double rows, double columns, double depth, double each, double parts) {
            double full = Math.ceil(each / TILE) * TILE / each;
            double flops = 2 * rows * columns * depth * Math.min(full, 4);
            double bytes = 2 * (rows * (columns + depth) + parts * columns * depth);
            return Math.max(
                            flops / (machine.productRate(job.precision()) * GROUPED_PRODUCT_SHARE),
                            bytes / memoryRate())
                    + LAUNCH;
        }
    }

    /** Returns the number of (token, expert) pairs that a device processes. */
    private double routedRows(Strategy s, double rows) {
        return rows * model.mixture().perToken() * s.expertTensor() / s.tensor();
    }

    /** Efficiency of grouped expert products relative to one large product. */
    private static final double GROUPED_PRODUCT_SHARE = 0.85;

    private double attention(Strategy s, double rows) {
        double span = job.sequence();
        double flops = rows * model.attentionFlops(span) / s.tensor();
        if (job.kernels().isFlash()) {
            return flops
                    / 2
                    / machine.attentionRate(
                            (model.attention().keyWidth() + model.attention().valueWidth()) / 2.0, job);
        }
        return flops / (machine.productRate(Precision.BITS16) * UNFUSED_SCORES_SHARE);
    }

    /** Returns the seconds of reading and writing attention scores without fused attention. */
    private double scoreTraffic(Strategy s, double rows) {
        return job.kernels().isFlash()
                ? 0
                : rows * 10 * model.attention().heads() * job.sequence() / s.tensor() / memoryRate();
    }

    /** Returns the seconds of element-wise kernels: norms, activations, residuals, rotary embedding and copies. */
    private double elementwise(Strategy s, double rows, boolean isMixture) {
        double q = s.isSequence() ? s.tensor() : 1;
        Architecture.Mixture moe = model.mixture();
        double wide = isMixture
                ? 6 * (moe.perToken() * moe.width() + moe.sharedWidth()) / s.tensor()
                        + 8 * moe.perToken() * model.hidden() * s.expertTensor() / s.tensor()
                : 6 * model.feedForward() / s.tensor();
        double latent = model.isLatent()
                ? 4.0
                        * model.attention().heads()
                        * (model.attention().keyWidth() + model.attention().valueWidth())
                        / s.tensor()
                : 0;
        double bytes = rows * (28 * model.hidden() / q + 8 * model.hidden() / s.tensor() + wide + latent);
        return job.kernels().elementwise() * bytes / memoryRate() + scoreTraffic(s, rows);
    }

    /** Returns the seconds of a ring all-gather or reduce-scatter over {@code members} ranks with distance {@code stride}. */
    double ring(double bytes, int members, int stride) {
        return members <= 1
                ? 0
                : (members - 1.0) / members * bytes / machine.ring(members, stride)
                        + hops(members) * machine.hop(members, stride);
    }

    private static double hops(int members) {
        return Math.min(members - 1, 16 + Math.log(members));
    }

    private TensorTraffic.Exposed tensor(Strategy s, double rows, Work work, boolean isMixture, double forward) {
        int t = s.tensor();
        double bytes = rows * model.hidden() * 2;
        // If the device is slower than its host, the skew of the hosts is partly hidden.
        double wait = t == 1
                ? 0
                : HOST_WAIT * job.kernels().host() * Math.min(1, job.kernels().host() / forward);
        TensorTraffic.LayerTimes times = new TensorTraffic.LayerTimes(
                ring(bytes * TensorTraffic.gathered(s, job), t, 1) + wait,
                ring(bytes, t, 1) + wait,
                t == 1 ? 0 : bytes * (1 + 1.0 / t) / memoryRate(),
                work.first,
                work.last);
        return TensorTraffic.exposed(s, job, TensorTraffic.blocks(model, isMixture), times);
    }

    /** Returns the exposed seconds of the ring of keys and values, which overlaps with attention. {@code times} is 2 for backward. */
    private double context(Strategy s, double rows, double attention, int times) {
        int c = s.context();
        return c == 1 ? 0 : Math.max(0, ratios.context() * contextAlone(s, rows, times) - attention * (c - 1) / c);
    }

    /** Returns the seconds to accumulate the outputs, or the gradients, of the parts of a ring. */
    private double merge(Strategy s, double rows, double bytes) {
        return s.context() == 1
                ? 0
                : CAUSAL_PARTS
                        * bytes
                        * s.context()
                        * rows
                        * model.attention().heads()
                        * model.attention().valueWidth()
                        / s.tensor()
                        / memoryRate();
    }

    /** Returns the seconds of the ring of keys and values without overlap. */
    double contextAlone(Strategy s, double rows, int times) {
        int c = s.context();
        double send = times * keyValueBytes(s, rows) / machine.ring(c, s.tensor()) + machine.hop(c, s.tensor());
        return (c - 1) * send;
    }

    /** Returns the bytes of keys and values of the part of the sequence on one device. */
    double keyValueBytes(Strategy s, double rows) {
        return 2
                * rows
                * model.attention().groups()
                * (model.attention().keyWidth() + model.attention().valueWidth())
                / s.tensor();
    }

    /** Returns the share of copies that leave the fast domain if each token is sent at most once to each domain. */
    private double offDomainShare(int members, int near) {
        double k = Math.min(model.mixture().perToken(), members);
        double domains = Math.ceil((double) members / near);
        if (!job.exchange().isOncePerDomain() || domains <= 1) {
            return 1;
        }
        double among = Math.min(domains, job.exchange().maxDomains());
        double visited = (1 - 1 / domains) * among * (1 - Math.pow(1 - 1 / among, k));
        return Math.min(1, visited / (k * (1 - 1 / domains)));
    }

    /**
     * Messages between one device and the experts, in one direction.
     *
     * @param bytes bytes to or from all experts
     * @param near expert-parallel ranks inside the fast domain
     * @param once share of copies that leave the fast domain
     */
    record Dispatch(double bytes, int near, double once) {}

    /** Returns the messages to the experts, or back. With tensor-parallel experts, each member transfers a part. */
    Dispatch dispatch(Strategy s, double rows, boolean isBack) {
        double share = isBack ? 1 : job.exchange().dispatchBytes() / 2;
        int near = Math.min(s.expert(), Math.max(1, machine.domain() / s.expertTensor()));
        return new Dispatch(
                share * 2 * rows / s.tensor() * model.hidden() * model.mixture().perToken(),
                near,
                offDomainShare(s.expert(), near));
    }

    /** Returns the seconds of sending tokens to the experts and back in the forward pass. */
    private double expert(Strategy s, double rows) {
        boolean isAlone = s.expert() == 1 && s.expertTensor() == 1;
        return isAlone
                ? 0
                : ratios.expert()
                        * (expertAlone(s, dispatch(s, rows, false)) + expertAlone(s, dispatch(s, rows, true)));
    }

    /**
     * Returns the seconds of one direction without overlap. Members of tensor-parallel experts also gather inputs and scatter outputs over
     * the fast links.
     */
    double expertAlone(Strategy s, Dispatch dispatch) {
        int x = s.expert();
        int stride = s.expertTensor();
        double bytesPerRank = dispatch.bytes / x;
        double fast = dispatch.near == 1
                ? 0
                : bytesPerRank * (dispatch.near - 1) / (machine.link() * TrainingMachine.LINK_SHARE);
        double slow = x == dispatch.near
                ? 0
                : bytesPerRank
                        * (x - dispatch.near)
                        * dispatch.once
                        / (machine.network() * TrainingMachine.NETWORK_SHARE);
        return fast + slow + ring(dispatch.bytes * stride, stride, 1) + 2 * machine.hop(x, stride);
    }
}
