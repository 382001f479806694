package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.Phase.Allocator;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeMap;

/** Starts collectives and takes their chunks from queue to queue until they are complete. */
final class Collectives {
    /** Who is told that a collective is complete. */
    interface Listener {
        void collectiveDone(Npu npu, int node);
    }

    private final SystemSpec system;
    private final int queuesPerDimension;
    private final int dimensions;
    private final int limit;

    /** Whether each communicator counts its own chunks; in the reference all of an NPU's count together. */
    private final boolean isSound;

    private final Streams streams;
    private final Listener listener;
    private final StreamQueue[][] queues;
    private final Allocators[] allocators;
    private final RingProcedure ring;
    private final HalvingProcedure halving;
    private final TreeProcedure tree;
    private final CustomProcedure custom;
    private final Endpoints endpoints;

    Collectives(SimulationSpec spec, Streams streams, Links links, NpuTimers timers, Listener listener) {
        this.system = spec.system();
        this.queuesPerDimension = system.queuesPerDimension();
        this.dimensions = spec.dimensions().size();
        this.limit = (system.activeChunks() + queuesPerDimension - 1) / queuesPerDimension;
        this.isSound = spec.compat() == Compat.NONE;
        this.streams = streams;
        this.listener = listener;
        this.queues = new StreamQueue[spec.npus()][];
        this.allocators = new Allocators[spec.npus()];
        this.endpoints = new Endpoints(timers, spec, streams);
        this.ring = new RingProcedure(links, endpoints, this);
        this.halving = new HalvingProcedure(links, endpoints, this);
        this.tree = new TreeProcedure(links, endpoints, this);
        this.custom = new CustomProcedure(links, timers, this, spec, links.carryToSelf());
    }

    Endpoints endpoints() {
        return endpoints;
    }

    /** A node of a custom collective is complete. */
    void customDone(int slot, int node) {
        custom.nodeDone(streams.get(slot), node);
    }

    /** Begins a collective: makes its chunks and queues each as it is made. */
    void start(Npu npu, int node, NodePlan plan) {
        int rank = npu.rank;
        if (queues[rank] == null) {
            queues[rank] = new StreamQueue[dimensions * queuesPerDimension];
            allocators[rank] = new Allocators(system.dimensionOrder(), dimensions, queuesPerDimension);
        }
        Allocators allocators = isSound ? this.allocators[rank].of(plan.group()) : this.allocators[rank];
        plan.group().ifPresent(group -> checkMember(npu, node, group));
        int priority = priority(npu, node);
        ActiveCollective owner = new ActiveCollective(node, plan.chunks());
        for (int i = 0; i < plan.chunks(); i++) {
            Stream stream = streams.take(npu, plan, owner);
            stream.tag = isSound && plan.group().isPresent() ? 0 : npu.nextStream++;
            if (plan.group().isPresent()) {
                stream.tag = plan.group().get().takeStream(rank);
            }
            stream.priority = priority;
            choose(stream, plan.orders(i), allocators);
            enterPhase(stream, 0);
            StreamQueue queue = queue(stream);
            queue.insert(stream, system.queueOrder());
            serve(queue);
        }
    }

    private static void checkMember(Npu npu, int node, Group group) {
        if (group.position(npu.rank) < 0) {
            throw Refusals.node(npu.trace, node, "NPU " + npu.rank + " is not in communicator group " + group.id());
        }
    }

    private int priority(Npu npu, int node) {
        return switch (system.policy()) {
            case LIFO -> npu.priority++;
            case FIFO -> npu.priority--;
            case EXPLICIT -> npu.trace.priority[node];
        };
    }

    private static void choose(Stream stream, PhaseOrders orders, Allocators allocators) {
        Phase[] phases = allocators.picker.next(orders);
        stream.phases = phases;
        int count = Math.max(1, phases.length);
        if (stream.choices.length < count) {
            stream.choices = new int[count];
        }
        stream.choices[0] = 0;
        for (int i = 0; i < phases.length; i++) {
            int choice = allocators.next(phases[i].dimension(), phases[i].allocator());
            if (phases[i].family() == Algorithm.Family.DOUBLE_BINARY_TREE) {
                choice |= allocators.nextShape(orders.kind(), phases[i].dimension());
            }
            stream.choices[i] = choice;
        }
    }

    private void enterPhase(Stream stream, int index) {
        stream.phaseIndex = index;
        stream.isStarted = false;
    }

    /** The chunk's procedure has ended its phase. */
    void phaseEnds(Stream stream) {
        StreamQueue old = queue(stream);
        boolean isLast = stream.phasesLeft() <= 1;
        stream.procedure = null;
        if (isLast && --stream.owner.chunksLeft == 0) {
            listener.collectiveDone(stream.npu, stream.owner.node);
        }
        old.remove(stream);
        if (isLast) {
            streams.give(stream);
            old.release();
            serve(old);
            return;
        }
        enterPhase(stream, stream.phaseIndex + 1);
        StreamQueue next = queue(stream);
        next.insert(stream, system.queueOrder());
        old.release();
        serve(old);
        serve(next);
    }

    /** Whether chunks of an NPU wait in a queue for others to leave it. */
    boolean hasQueued(int rank) {
        StreamQueue[] its = queues[rank];
        for (int i = 0; its != null && i < its.length; i++) {
            if (its[i] != null && its[i].hasWaiting()) {
                return true;
            }
        }
        return false;
    }

    private StreamQueue queue(Stream stream) {
        StreamQueue[] its = queues[stream.npu.rank];
        StreamQueue queue = its[stream.queue()];
        if (queue == null) {
            queue = new StreamQueue();
            its[stream.queue()] = queue;
        }
        return queue;
    }

    private void serve(StreamQueue queue) {
        for (Stream stream = queue.next(limit); stream != null; stream = queue.next(limit)) {
            begin(stream);
            queue.started();
        }
    }

    private void begin(Stream stream) {
        stream.zero = 0;
        stream.nonzero = 0;
        stream.toggle = false;
        stream.free = 0;
        stream.got = 0;
        stream.made = 0;
        stream.popped = 0;
        stream.generals = 0;
        stream.direction = stream.isAnticlockwise() ? -1 : 1;
        Procedure procedure;
        if (stream.plan.custom().isPresent()) {
            procedure = custom;
        } else {
            Phase phase = stream.phases[stream.phaseIndex];
            stream.phase = phase;
            stream.position = phase.ring().position(stream.npu.rank);
            procedure = switch (phase.family()) {
                case RING, DIRECT -> ring;
                case HALVING_DOUBLING -> halving;
                case DOUBLE_BINARY_TREE -> tree;
            };
        }
        stream.procedure = procedure;
        procedure.start(stream);
    }

    /** Counters of one NPU that spread chunks over queues, and give trees their shapes. */
    private static final class Allocators {
        private static final int ANTICLOCKWISE = 2;

        private final DimensionOrder order;
        private final DimensionPicker picker;
        private final TreeMap<Integer, Allocators> ofGroups = new TreeMap<>();
        private final int queues;
        private final int[] general;
        private final int[] firstHalf;
        private final int[] secondHalf;
        private final int[] shapes;

        Allocators(DimensionOrder order, int dimensions, int queues) {
            this.order = order;
            this.picker = new DimensionPicker(order, dimensions);
            this.queues = queues;
            this.general = new int[dimensions];
            this.firstHalf = new int[dimensions];
            this.secondHalf = new int[dimensions];
            Arrays.fill(secondHalf, queues / 2);
            this.shapes = new int[CollectiveKind.values().length];
        }

        /** Those of a communicator: NPUs that are in other groups as well must not choose differently in this one. */
        Allocators of(Optional<Group> group) {
            return group.map(its ->
                            ofGroups.computeIfAbsent(its.id(), unused -> new Allocators(order, general.length, queues)))
                    .orElse(this);
        }

        /** Queue and direction of the dimension's next chunk, as in {@link Stream#choices}. */
        int next(int dimension, Allocator allocator) {
            int index;
            boolean isAnticlockwise;
            switch (allocator) {
                case FIRST_HALF -> {
                    index = firstHalf[dimension]++;
                    if (firstHalf[dimension] >= queues / 2) {
                        firstHalf[dimension] = 0;
                    }
                    isAnticlockwise = false;
                }
                case SECOND_HALF -> {
                    index = secondHalf[dimension]++;
                    if (secondHalf[dimension] >= queues) {
                        secondHalf[dimension] = queues / 2;
                    }
                    isAnticlockwise = true;
                }
                default -> {
                    index = general[dimension]++;
                    if (general[dimension] >= queues) {
                        general[dimension] = 0;
                    }
                    isAnticlockwise = queues > 1 && index >= queues / 2;
                }
            }
            return (dimension * queues + index) << 2 | (isAnticlockwise ? ANTICLOCKWISE : 0);
        }

        /** 0 and 1 in turn, for each kind of collective and dimension. */
        int nextShape(CollectiveKind kind, int dimension) {
            int bit = 1 << dimension;
            int shape = (shapes[kind.ordinal()] & bit) == 0 ? 0 : 1;
            shapes[kind.ordinal()] ^= bit;
            return shape;
        }
    }

    /**
     * Double binary tree: whole chunks go up to a root and down again; chunks use one of two trees in turn.
     *
     * <p>The tree is a root with one child, the top of a perfect tree of all others numbered from left to right; the root is
     * the last position or the first.
     */
    private static final class TreeProcedure implements Procedure {
        private static final int NONE = -1;

        private final Links links;
        private final Endpoints endpoints;
        private final Collectives collectives;

        TreeProcedure(Links links, Endpoints endpoints, Collectives collectives) {
            this.links = links;
            this.endpoints = endpoints;
            this.collectives = collectives;
        }

        @Override
        public void start(Stream stream) {
            Phase phase = stream.running();
            place(stream, phase);
            if (isLeaf(stream)) {
                endpoints.out(stream, phase.message());
            } else {
                links.receive(stream, stream.left, phase.message());
                if (!isRoot(stream)) {
                    links.receive(stream, stream.right, phase.message());
                }
            }
        }

        @Override
        public void received(Stream stream) {
            stream.got++;
            long size = stream.running().message();
            if (isLeaf(stream)) {
                endpoints.in(stream, size, false, false);
            } else {
                endpoints.in(stream, size, true, isRoot(stream) || stream.got > 1);
            }
        }

        @Override
        public void passed(Stream stream) {
            stream.generals++;
            long size = stream.running().message();
            if (isRoot(stream)) {
                links.send(stream, stream.left, size);
                collectives.phaseEnds(stream);
            } else if (isLeaf(stream)) {
                if (stream.generals == 1) {
                    links.exchange(stream, stream.parent, stream.parent, size);
                } else {
                    collectives.phaseEnds(stream);
                }
            } else if (stream.generals == 2) {
                links.exchange(stream, stream.parent, stream.parent, size);
            } else if (stream.generals == 3) {
                links.send(stream, stream.left, size);
                links.send(stream, stream.right, size);
                collectives.phaseEnds(stream);
            }
        }

        private static boolean isRoot(Stream stream) {
            return stream.parent == NONE;
        }

        private static boolean isLeaf(Stream stream) {
            return stream.left == NONE;
        }

        private static void place(Stream stream, Phase phase) {
            LogicalRing ring = phase.ring();
            int n = ring.size();
            int rank = stream.npu.rank;
            // Labels 1 to n-1 from left to right in the perfect tree; the root stands outside.
            int shift = stream.isSecondShape() ? 0 : 1;
            int root = stream.isSecondShape() ? 0 : n - 1;
            stream.right = NONE;
            if (stream.position == root) {
                stream.parent = NONE;
                stream.left = ring.rank(rank, n / 2 - shift);
                return;
            }
            int label = stream.position + shift;
            int height = Integer.lowestOneBit(label);
            stream.parent =
                    label == n / 2 ? ring.rank(rank, root) : ring.rank(rank, (label - height | 2 * height) - shift);
            if (height == 1) {
                stream.left = NONE;
            } else {
                stream.left = ring.rank(rank, label - height / 2 - shift);
                stream.right = ring.rank(rank, label + height / 2 - shift);
            }
        }
    }
}
