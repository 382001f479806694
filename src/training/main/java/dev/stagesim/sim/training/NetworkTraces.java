package dev.stagesim.sim.training;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.training.schedule.Op;
import dev.stagesim.sim.training.schedule.PipelineOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds execution traces of a strategy's pipeline. The traces cover one tensor-parallel group per stage: its computations, collectives and
 * messages between stages, in the order of the schedule.
 *
 * <p>Rank {@code stage * t + k} is member k of the group of a stage. The tensor-parallel collectives of an operation are merged into one
 * all-reduce after the computation, for the exposed part, and one in parallel with it, for the overlapped part. Context, expert and data
 * parallelism are not in the traces.
 */
public final class NetworkTraces {
    private static final long ABSENT = -1;
    private static final double NANOS = 1e9;

    private final SimulatedPipeline simulated;
    private final Architecture model;
    private final TrainingMachine machine;
    private final TrainingJob job;
    private final Strategy s;
    private final PipelineOrder order;
    private final long layerBytes;
    private final double slowest;
    private final int[] rankOf;

    private NetworkTraces(SimulatedPipeline simulated, Architecture model, TrainingMachine machine, TrainingJob job) {
        this.simulated = simulated;
        this.model = model;
        this.machine = machine;
        this.job = job;
        s = simulated.candidate().strategy();
        order = simulated.order();
        slowest = machine.slowest(s.devices());
        layerBytes = (long) (4.0 * s.microBatch() * job.sequence() / s.context() * model.hidden());
        rankOf = new int[order.directions() * order.stages()];
        for (int rank = 0; rank < order.ranks(); rank++) {
            for (int op : order.ops()[rank]) {
                rankOf[slot(Op.direction(op), Op.stage(op))] = rank;
            }
        }
    }

    static int npus(Strategy s) {
        return s.tensor() * s.pipeline();
    }

    /** Returns the number of pipeline operations in all traces; simulation time is proportional to it. */
    public static long operations(SimulatedPipeline simulated) {
        long ops = 0;
        for (int[] rank : simulated.order().ops()) {
            ops += rank.length;
        }
        return ops * simulated.candidate().strategy().tensor();
    }

    /** Returns the trace nodes of each NPU, with durations in ns. */
    public static List<List<EtNode>> traces(
            SimulatedPipeline simulated, Architecture model, TrainingMachine machine, TrainingJob job) {
        NetworkTraces run = new NetworkTraces(simulated, model, machine, job);
        List<List<EtNode>> traces = new ArrayList<>();
        for (int rank = 0; rank < run.order.ranks(); rank++) {
            for (int member = 0; member < run.s.tensor(); member++) {
                traces.add(run.new Rank(rank, member).trace());
            }
        }
        return traces;
    }

    /** Returns the bytes that each member of a group sends to the next stage. */
    private long messageBytes() {
        return Math.max(1, layerBytes / 2 / (s.isSequence() ? s.tensor() : 1));
    }

    private int slot(int direction, int stage) {
        return direction * order.stages() + stage;
    }

    /** Returns the number of blocks of a stage with tensor-parallel collectives. */
    private double blocks(int stage) {
        Layout layout = simulated.candidate().layout();
        int place = Math.min(layout.stages() - 1, stage * layout.stages() / order.stages());
        int mixtures = layout.mixtures(model, place);
        return (layout.layers(place) - mixtures) * TensorTraffic.blocks(model, false)
                + mixtures * TensorTraffic.blocks(model, true);
    }

    /** Builder of the trace of one NPU. */
    private final class Rank {
        private final int rank;
        private final int member;
        private final List<EtNode> nodes = new ArrayList<>();
        private final long[] received = {ABSENT, ABSENT};
        private long computed = ABSENT;
        private long reduced = ABSENT;

        Rank(int rank, int member) {
            this.rank = rank;
            this.member = member;
        }

        List<EtNode> trace() {
            int[] ops = order.ops()[rank];
            for (int i = 0; i < ops.length; i++) {
                operation(
                        ops[i],
                        simulated.timeline().end()[rank][i]
                                - simulated.timeline().start()[rank][i],
                        i,
                        ops);
            }
            return nodes;
        }

        private void operation(int op, double seconds, int at, int[] ops) {
            boolean isPaired = Op.isJoined(op) || (at > 0 && Op.isJoined(ops[at - 1]));
            double share = isPaired ? 0.5 : 1;
            boolean isForward = Op.kind(op) == Op.F;
            boolean isWeight = Op.kind(op) == Op.W;
            long arrived = isWeight ? ABSENT : receive(op, isForward);
            long bytes = isWeight ? 0 : collectiveBytes(op, isForward);
            double exposed = bytes == 0 ? 0 : exposed(isForward);
            long nanos = Math.max(1, Math.round(NANOS * (share * seconds - exposed)));
            long before = computed;
            computed = add(Op.name(op), NodeType.COMP_NODE, nanos, List.of(), before, arrived, reduced);
            reduced = ABSENT;
            if (bytes > 0) {
                reduced = collectives(Op.name(op), bytes, exposed, before);
            }
            if (!isWeight) {
                send(op, isForward);
            }
        }

        /** Adds the overlapped part in parallel with the computation and the exposed part after it. Returns the id of the last node. */
        private long collectives(String name, long bytes, double exposed, long before) {
            boolean isHidden = job.overlap().tensor() && s.isSequence();
            double alone = 2 * bytes * (s.tensor() - 1.0) / s.tensor() / machine.ring(s.tensor(), 1);
            long after = isHidden ? Math.round(bytes * Math.min(1, exposed / alone)) : bytes;
            long hidden = after < bytes ? collective(name + ".tp.hidden", bytes - after, before) : ABSENT;
            return after > 0 ? collective(name + ".tp", after, computed, hidden) : hidden;
        }

        private long collective(String name, long bytes, long... parents) {
            return add(
                    name,
                    NodeType.COMM_COLL_NODE,
                    0,
                    List.of(
                            EtAttribute.ofLong(EtNames.COMM_TYPE, CollectiveType.ALL_REDUCE.number()),
                            EtAttribute.ofLong(EtNames.COMM_SIZE, bytes),
                            EtAttribute.ofText(EtNames.PG_NAME, Integer.toString(rank + 1))),
                    parents);
        }

        /** Returns the size of one all-reduce that moves as many bytes as the gathers and scatters of the stage's layers. */
        private long collectiveBytes(int op, boolean isForward) {
            return s.tensor() == 1
                    ? 0
                    : Math.round(blocks(Op.stage(op)) * layerBytes / 2 * TensorTraffic.reduces(s, job, isForward));
        }

        /** Returns the estimated seconds of exposed collectives in an operation. The trace has separate nodes for them. */
        private double exposed(boolean isForward) {
            double all = simulated.candidate().step().tensor() / slowest / s.microBatches(job.globalBatch());
            double chunks = (double) order.stages() * order.directions() / s.pipeline();
            double forward = TensorTraffic.reduces(s, job, true);
            double share = forward / (forward + TensorTraffic.reduces(s, job, false));
            return all / chunks * (isForward ? share : 1 - share) * order.directions();
        }

        private long receive(int op, boolean isForward) {
            int from = Op.stage(op) + (isForward ? -1 : 1);
            if (from < 0 || from >= order.stages()) {
                return ABSENT;
            }
            int other = rankOf[slot(Op.direction(op), from)];
            if (other == rank) {
                return ABSENT;
            }
            int pass = isForward ? 0 : 1;
            received[pass] = add(
                    Op.name(op) + ".recv",
                    NodeType.COMM_RECV_NODE,
                    0,
                    message(other, rank, tag(op, isForward, from)),
                    received[pass]);
            return received[pass];
        }

        private void send(int op, boolean isForward) {
            int to = Op.stage(op) + (isForward ? 1 : -1);
            if (to < 0 || to >= order.stages()) {
                return;
            }
            int other = rankOf[slot(Op.direction(op), to)];
            if (other != rank) {
                add(
                        Op.name(op) + ".send",
                        NodeType.COMM_SEND_NODE,
                        0,
                        message(rank, other, tag(op, isForward, Op.stage(op))),
                        computed,
                        reduced);
            }
        }

        /** Returns a unique tag for micro-batch, direction, pass and sending stage. */
        private int tag(int op, boolean isForward, int sender) {
            int lane = (Op.microBatch(op) * 2 + Op.direction(op)) * 2 + (isForward ? 0 : 1);
            return lane * order.stages() + sender;
        }

        private List<EtAttribute> message(int source, int destination, int tag) {
            return List.of(
                    EtAttribute.ofInt(EtNames.COMM_SRC, source * s.tensor() + member),
                    EtAttribute.ofInt(EtNames.COMM_DST, destination * s.tensor() + member),
                    EtAttribute.ofLong(EtNames.COMM_SIZE, messageBytes()),
                    EtAttribute.ofInt(EtNames.COMM_TAG, tag));
        }

        private long add(String name, NodeType type, long nanos, List<EtAttribute> attributes, long... parents) {
            List<EtAttribute> all = new ArrayList<>();
            all.add(EtAttribute.ofBool(EtNames.IS_CPU_OP, false));
            all.addAll(attributes);
            long id = nodes.size();
            nodes.add(EtNode.of(id, name, type)
                    .withDuration(nanos)
                    .withAttributes(all)
                    .withDataDeps(Arrays.stream(parents)
                            .filter(parent -> parent != ABSENT)
                            .distinct()
                            .toArray()));
            return id;
        }
    }
}
