package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.Group;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.procedure.Phase.Allocator;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.TraceErrors;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeMap;

/** Starts collectives and moves their chunks through the queues of the dimensions until completion. */
final class Collectives {
    /** Notified of completed collectives. */
    interface Listener {
        void collectiveDone(Npu npu, int node);
    }

    private final SystemSpec system;
    private final int queuesPerDimension;
    private final int dimensions;
    private final int limit;

    /** True if each communicator counts its chunks separately; the reference has one count per NPU. */
    private final boolean countsPerGroup;

    private final Streams streams;
    private final Listener listener;
    private final StreamQueue[][] queues;
    private final Allocators[] allocators;
    private final SimulationSpec spec;
    private final NpuMessages links;
    private final NpuTimers timers;
    private final Endpoints endpoints;

    Collectives(SimulationSpec spec, Streams streams, NpuMessages links, NpuTimers timers, Listener listener) {
        this.spec = spec;
        this.links = links;
        this.timers = timers;
        this.system = spec.system();
        this.queuesPerDimension = system.scheduling().queuesPerDimension();
        this.dimensions = spec.dimensions().size();
        this.limit = (system.scheduling().activeChunks() + queuesPerDimension - 1) / queuesPerDimension;
        this.countsPerGroup = spec.compat() == AstraCompat.NONE;
        this.streams = streams;
        this.listener = listener;
        this.queues = new StreamQueue[spec.npus()][];
        this.allocators = new Allocators[spec.npus()];
        this.endpoints = new Endpoints(timers, spec, streams);
    }

    Endpoints endpoints() {
        return endpoints;
    }

    NpuMessages links() {
        return links;
    }

    /** Completes a node of a custom collective. */
    void customDone(int slot, int node) {
        streams.get(slot).run().nodeDone(node);
    }

    /** Starts a collective: creates its chunks and queues them individually. */
    void start(Npu npu, int node, NodePlan plan) {
        int rank = npu.rank;
        if (queues[rank] == null) {
            queues[rank] = new StreamQueue[dimensions * queuesPerDimension];
            allocators[rank] = new Allocators(system.scheduling().dimensionOrder(), dimensions, queuesPerDimension);
        }
        Allocators allocators = countsPerGroup ? this.allocators[rank].of(plan.group()) : this.allocators[rank];
        plan.group().ifPresent(group -> checkMember(npu, node, group));
        int priority = priority(npu, node);
        ActiveCollective owner = new ActiveCollective(node, plan.chunks());
        for (int i = 0; i < plan.chunks(); i++) {
            ChunkState stream = streams.take(npu, plan, owner, this);
            stream.tag = countsPerGroup && plan.group().isPresent() ? 0 : npu.nextStream++;
            if (plan.group().isPresent()) {
                stream.tag = plan.group().get().takeStream(rank);
            }
            stream.priority = priority;
            choose(stream, plan.orders(i), allocators);
            enterPhase(stream, 0);
            StreamQueue queue = queue(stream);
            queue.insert(stream, system.scheduling().queueOrder());
            serve(queue);
        }
    }

    private static void checkMember(Npu npu, int node, Group group) {
        if (group.position(npu.rank) < 0) {
            throw TraceErrors.node(npu.trace, node, "NPU " + npu.rank + " is not in communicator group " + group.id());
        }
    }

    private int priority(Npu npu, int node) {
        return switch (system.scheduling().policy()) {
            case LIFO -> npu.priority++;
            case FIFO -> npu.priority--;
            case EXPLICIT -> npu.trace.priority[node];
        };
    }

    private static void choose(ChunkState stream, PhaseOrders orders, Allocators allocators) {
        Phase[] phases = allocators.picker.next(orders);
        stream.phases = phases;
        int count = Math.max(1, phases.length);
        if (stream.choices.length < count) {
            stream.choices = new int[count];
        }
        stream.choices[0] = 0;
        for (int i = 0; i < phases.length; i++) {
            int choice = allocators.next(phases[i].dimension(), phases[i].allocator());
            if (phases[i].procedure().hasShapes()) {
                choice |= allocators.nextShape(orders.kind(), phases[i].dimension());
            }
            stream.choices[i] = choice;
        }
    }

    private void enterPhase(ChunkState stream, int index) {
        stream.phaseIndex = index;
        stream.isStarted = false;
    }

    /** Ends the current phase of a chunk. */
    void phaseEnds(ChunkState stream) {
        StreamQueue old = queue(stream);
        boolean isLast = stream.phasesLeft() <= 1;
        stream.run = null;
        if (isLast && --stream.owner.chunksLeft == 0) {
            listener.collectiveDone(stream.npu, stream.owner.node);
        }
        old.remove(stream);
        if (isLast) {
            streams.release(stream);
            old.release();
            serve(old);
            return;
        }
        enterPhase(stream, stream.phaseIndex + 1);
        StreamQueue next = queue(stream);
        next.insert(stream, system.scheduling().queueOrder());
        old.release();
        serve(old);
        serve(next);
    }

    /** True if chunks of an NPU are queued and not started. */
    boolean hasQueued(int rank) {
        StreamQueue[] npuQueues = queues[rank];
        for (int i = 0; npuQueues != null && i < npuQueues.length; i++) {
            if (npuQueues[i] != null && npuQueues[i].hasWaiting()) {
                return true;
            }
        }
        return false;
    }

    private StreamQueue queue(ChunkState stream) {
        StreamQueue[] npuQueues = queues[stream.npu.rank];
        StreamQueue queue = npuQueues[stream.queue()];
        if (queue == null) {
            queue = new StreamQueue();
            npuQueues[stream.queue()] = queue;
        }
        return queue;
    }

    private void serve(StreamQueue queue) {
        for (ChunkState stream = queue.next(limit); stream != null; stream = queue.next(limit)) {
            begin(stream);
            queue.started();
        }
    }

    private void begin(ChunkState stream) {
        if (stream.plan.custom().isPresent()) {
            stream.run = new CustomRun(stream, spec, links, timers);
        } else {
            Phase phase = stream.phases[stream.phaseIndex];
            stream.phase = phase;
            stream.run = phase.procedure().begin(phase, stream);
        }
        stream.run.start();
    }

    /** Counters of one NPU that distribute chunks over queues and choose tree shapes. */
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

        /**
         * Counters of a communicator. They are separate, so that members of several groups make equal choices in this
         * group.
         */
        Allocators of(Optional<Group> group) {
            return group.map(member -> ofGroups.computeIfAbsent(
                            member.id(), unused -> new Allocators(order, general.length, queues)))
                    .orElse(this);
        }

        /** Returns the queue and direction of the dimension's next chunk, encoded as in {@link ChunkState#choices}. */
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

        /** Returns 0 and 1 alternately, per kind of collective and dimension. */
        int nextShape(CollectiveKind kind, int dimension) {
            int bit = 1 << dimension;
            int shape = (shapes[kind.ordinal()] & bit) == 0 ? 0 : 1;
            shapes[kind.ordinal()] ^= bit;
            return shape;
        }
    }
}
