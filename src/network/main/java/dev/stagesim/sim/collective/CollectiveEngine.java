package dev.stagesim.sim.collective;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.result.CollectiveDeadlock;
import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.TraceErrors;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.Unmatched;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/** One simulation run: connects the parts, dispatches events to them, and collects the result. */
final class CollectiveEngine implements NetworkClient, NpuTimers.Handler, Workload.FinishListener {
    private static final long STOP = Long.MAX_VALUE;

    private final SimulationSpec spec;
    private final Network network;
    private final SimulationObserver observer;
    private final Npu[] npus;
    private final NpuTimers timers;
    private final Streams streams = new Streams();
    private final NpuMessages links;
    private final Collectives collectives;
    private final Endpoints endpoints;
    private final Workload workload;

    private final long[] finish;
    private final long[] exposed;
    private final SimulationResult.Symmetry symmetry;
    private final int[] representatives;
    private final List<Optional<NpuStatistics>> statistics;
    private final int[] order;
    private final long last;
    private int finished;
    private boolean isStopped;
    private boolean hasStopEvent;
    private boolean isTimed;

    CollectiveEngine(
            SimulationSpec spec,
            List<RankTrace> traces,
            SimulationResult.Symmetry symmetry,
            Network network,
            SimulationObserver observer) {
        this.spec = spec;
        this.network = network;
        this.observer = observer;
        this.symmetry = symmetry;
        this.representatives = symmetry.representatives();
        int count = spec.npus();
        this.npus = npus(traces, representatives);
        this.timers = new NpuTimers(network, count, this);
        this.workload = new Workload(spec, network, timers, npus, streams, observer, this);
        this.links = workload.links();
        this.collectives = workload.collectives();
        this.endpoints = collectives.endpoints();
        this.finish = new long[count];
        this.exposed = new long[count];
        this.order = new int[count];
        this.last = observer.stopsAfter();
        Arrays.fill(finish, -1);
        Arrays.fill(exposed, -1);
        this.statistics = new ArrayList<>(Collections.nCopies(count, Optional.empty()));
    }

    private static Npu[] npus(List<RankTrace> traces, int[] representatives) {
        // Traces are compared by identity; ranks with equal work share one object.
        Map<RankTrace, NodePlans> plans = new LinkedHashMap<>();
        Npu[] npus = new Npu[representatives.length];
        for (int rank = 0; rank < npus.length; rank++) {
            RankTrace trace = traces.get(rank);
            npus[rank] = representatives[rank] == rank
                    ? new Npu(rank, trace, plans.computeIfAbsent(trace, NodePlans::new))
                    : npus[representatives[rank]];
            npus[rank].multiplicity++;
        }
        return npus;
    }

    /**
     * Runs the simulation.
     *
     * @throws StageException of kind input if a node cannot be executed
     */
    SimulationResult run() {
        for (int rank = 0; rank < npus.length; rank++) {
            if (representatives[rank] == rank) {
                workload.start(npus[rank]);
            }
        }
        if (spec.compat() != AstraCompat.NONE && network.hasEventNow()) {
            throw TraceErrors.system(
                    "time 0",
                    "an event at the start takes no time, and the reference stops then: an endpoint delay of 0, a"
                            + " computation of 0 ns, or a message with less than 1 ns on its link");
        }
        if (last < 1L << 62) {
            network.schedule(last + 1, STOP);
        }
        network.run(this);
        return result();
    }

    @Override
    public void event(long event) {
        if (event == STOP) {
            isStopped = true;
            hasStopEvent = true;
            network.stop();
            return;
        }
        isTimed = true;
        timers.run(event);
        isTimed = false;
    }

    @Override
    public void progress() {
        if (!observer.progress(network.now(), network.events(), finished)) {
            isStopped = true;
            network.stop();
        }
    }

    @Override
    public void sent(int handle) {
        if (network.now() <= last) {
            links.done(handle);
        }
    }

    @Override
    public void received(int handle) {
        if (network.now() > last) {
            return; // The stop event has this time; a message may arrive before it.
        }
        if (handle >= NpuMessages.FIRST_OPERATION) {
            links.done(handle);
            return;
        }
        streams.get(handle).run().received();
    }

    @Override
    public void due(int npu, int kind, int ref, long value) {
        switch (kind) {
            case Timer.ENDPOINT -> endpoints.waited(streams.get(ref), value);
            case Timer.REDUCED -> endpoints.pass(streams.get(ref));
            case Timer.NODE_DONE -> workload.complete(npus[npu], ref);
            case Timer.MEMORY_FREE -> workload.memory().isFree(ref);
            case Timer.CUSTOM_DONE -> collectives.customDone(ref, (int) value);
            case Timer.BUS_SENT -> endpoints.bus(npu).sent(ref);
            case Timer.BUS_RECEIVED -> endpoints.bus(npu).received(ref);
            case Timer.BUS_PROCESSED -> endpoints.bus(npu).processed(ref);
            default -> throw new IllegalStateException("no timer of kind " + kind);
        }
    }

    @Override
    public void finished(Npu npu, long now) {
        order[finished++] = npu.rank;
        finish[npu.rank] = now;
        exposed[npu.rank] = now - npu.use.gpuPlanned();
        NpuStatistics npuStatistics =
                npu.use.statistics(spec.system().roofline().isPresent());
        if (spec.compat() == AstraCompat.ASTRA && !isTimed && !npuStatistics.isReference()) {
            throw TraceErrors.system(
                    "NPU " + npu.rank,
                    "it finishes when a message arrives or at time 0, and has memory accesses, computation on the host"
                            + " or nodes of type INVALID: the reference stops then, since it has no statistics for them");
        }
        statistics.set(npu.rank, Optional.of(npuStatistics));
        if (finished == npus.length) {
            network.workDone();
        }
    }

    private SimulationResult result() {
        for (int rank = 0; rank < npus.length; rank++) {
            int representative = representatives[rank];
            if (representative != rank && finish[representative] >= 0) {
                order[finished++] = rank;
                finish[rank] = finish[representative];
                exposed[rank] = exposed[representative];
                statistics.set(rank, statistics.get(representative));
            }
        }
        // A stop after all NPUs have finished had no effect if only the stop event was left.
        boolean isLate = isStopped && finished == npus.length;
        List<Unmatched> unmatched = new ArrayList<>();
        network.unmatched(unmatched::add);
        Optional<CollectiveDeadlock> stuck = finished < npus.length
                ? Optional.of(new StuckAnalysis(npus, unmatched, collectives::hasQueued).report())
                : Optional.empty();
        unmatched.removeIf(entry -> entry.kind() == Unmatched.Kind.AWAITED);
        return new SimulationResult(
                finish,
                exposed,
                finishOrder(),
                statistics,
                new SimulationResult.Traffic(
                        network.links(),
                        unmatched,
                        network.events() - (isLate && hasStopEvent ? 1 : 0),
                        network.messages()),
                stuck,
                isStopped && !isLate,
                isLate ? Arrays.stream(finish).max().orElse(0) : network.now(),
                symmetry);
    }

    /** Ranks in the order of finishing. In the own mode, ties are in order of rank. */
    private int[] finishOrder() {
        int[] ranks = Arrays.copyOf(order, finished);
        if (spec.compat() != AstraCompat.NONE) {
            return ranks;
        }
        return Arrays.stream(ranks)
                .boxed()
                .sorted((a, b) -> finish[a] != finish[b] ? Long.compare(finish[a], finish[b]) : Integer.compare(a, b))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Describes what each unfinished NPU waits for, and finds a cycle among them. */
    private static final class StuckAnalysis {
        private final Npu[] npus;
        private final IntPredicate hasQueued;
        private final TreeMap<Integer, TreeSet<Integer>> awaited = new TreeMap<>();
        private final TreeMap<Integer, List<String>> offers = new TreeMap<>();

        /** @param hasQueued whether chunks of an NPU are queued and not started */
        StuckAnalysis(Npu[] npus, List<Unmatched> unmatched, IntPredicate hasQueued) {
            this.npus = npus;
            this.hasQueued = hasQueued;
            for (Unmatched entry : unmatched) {
                if (entry.kind() == Unmatched.Kind.AWAITED) {
                    awaited.computeIfAbsent(entry.destination(), d -> new TreeSet<>())
                            .add(entry.source());
                } else {
                    offers.computeIfAbsent(entry.destination(), d -> new ArrayList<>())
                            .add(entry.bytes() + " bytes with tag " + entry.tag() + " from NPU " + entry.source());
                }
            }
        }

        CollectiveDeadlock report() {
            List<CollectiveDeadlock.Waiting> waiting = new ArrayList<>();
            int stuck = 0;
            for (int rank = 0; rank < npus.length; rank++) {
                Npu npu = npus[rank];
                if (!npu.isFinished) {
                    stuck++;
                    if (waiting.size() < CollectiveDeadlock.MAX_LISTED) {
                        waiting.add(waiting(npu, rank));
                    }
                }
            }
            return new CollectiveDeadlock(waiting, stuck, cycle(), new StuckCauses(npus, hasQueued).found());
        }

        /** Describes what a rank waits for, using the state of its representative. */
        private CollectiveDeadlock.Waiting waiting(Npu npu, int rank) {
            RankTrace trace = npu.trace;
            int[] nodes = Arrays.copyOf(npu.running, npu.runningCount);
            Arrays.sort(nodes);
            List<Long> ids = Arrays.stream(nodes).mapToObj(trace::id).toList();
            TreeSet<Integer> peers = awaited.getOrDefault(rank, new TreeSet<>());
            StringBuilder what = new StringBuilder();
            if (nodes.length == 0) {
                what.append(
                        npu.hasReadyNode()
                                ? "a free node was never issued"
                                : (trace.size() - npu.done)
                                        + " of its nodes can never start: their dependencies form a cycle or are never"
                                        + " done");
            } else {
                what.append("runs ")
                        .append(KeyNames.constant(trace.type(nodes[0])))
                        .append(" node ")
                        .append(ids.get(0));
                if (!trace.name(nodes[0]).isEmpty()) {
                    what.append(" (").append(trace.name(nodes[0])).append(')');
                }
                what.append(nodes.length > 1 ? " and " + (nodes.length - 1) + " more" : "");
                what.append(
                        peers.isEmpty()
                                ? " and waits for no message"
                                : ", waits for messages from NPU " + first(peers));
            }
            List<String> unwanted = offers.getOrDefault(rank, List.of());
            if (!unwanted.isEmpty()) {
                what.append("; arrived without a receive: ").append(unwanted.get(0));
                what.append(unwanted.size() > 1 ? " and " + (unwanted.size() - 1) + " more" : "");
            }
            return new CollectiveDeadlock.Waiting(rank, ids, what.toString(), List.copyOf(peers));
        }

        private static String first(TreeSet<Integer> peers) {
            return peers.first() + (peers.size() > 1 ? " and " + (peers.size() - 1) + " more" : "");
        }

        /** Follows the first awaited NPU of each NPU until one repeats. */
        private List<Integer> cycle() {
            if (awaited.isEmpty()) {
                return List.of();
            }
            List<Integer> path = new ArrayList<>();
            int at = awaited.firstKey();
            while (!path.contains(at)) {
                path.add(at);
                TreeSet<Integer> next = awaited.get(at);
                if (next == null) {
                    return List.of();
                }
                at = next.first();
            }
            return path.subList(path.indexOf(at), path.size());
        }

        /** Finds recognised causes of a deadlock other than missing messages. */
        private record StuckCauses(Npu[] npus, IntPredicate hasQueued) {
            /** Returns every cause found at an unfinished NPU, without repetition. */
            List<String> found() {
                LinkedHashSet<String> found = new LinkedHashSet<>();
                TreeSet<Integer> begun = new TreeSet<>();
                boolean isQueued = false;
                for (int rank = 0; rank < npus.length; rank++) {
                    Npu npu = npus[rank];
                    if (npu.isFinished || npu.rank != rank) {
                        continue;
                    }
                    if (npu.runningCount == 0 && npu.hasReadyNode()) {
                        found.add("an INVALID node, or a computation of tensor_size 0 under the roofline, ends, and"
                                + " no node is issued after it");
                    }
                    for (int i = 0; i < npu.runningCount; i++) {
                        NodePlan plan = npu.plans.begun(npu.running[i]).orElse(null);
                        if (plan != null) {
                            isQueued |= hasQueued.test(rank);
                            for (Phase phase : plan.regular().ascending()) {
                                phase.procedure().hangs(phase.ring().size()).ifPresent(why -> found.add(why));
                            }
                        }
                        if (plan != null && plan.group().isEmpty()) {
                            begun.add(npu.nextStream);
                        }
                    }
                }
                if (begun.size() > 1) {
                    found.add(
                            "NPUs have begun " + begun.first() + " to " + begun.last() + " chunks: they do not run the"
                                    + " same collectives in the same"
                                    + " order, so that their chunks"
                                    + " have different numbers and do"
                                    + " not meet");
                } else if (isQueued && found.isEmpty()) {
                    found.add("queued chunks wait for running chunks that wait for other NPUs, because NPUs run them in"
                            + " different orders; set active chunks per dimension to at least twice the chunks of a collective"
                            + ", so that none is queued");
                }
                return new ArrayList<>(found);
            }
        }
    }
}
