package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.astra.CustomFiles;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.RankFiles;
import dev.stagesim.io.astra.SystemFile;
import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.io.packet.PacketTables;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.result.DeadlockMessage;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.packet.PacketDeadlockMessage;
import dev.stagesim.sim.network.packet.PacketTotals;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.stage.astrasim.AstraSimSettings.SimulationKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The stage {@code astra_sim}: simulates collectives and training steps on a network of NPUs. */
final class AstraSimStage implements Stage<AstraSimSettings> {
    private static final double SECONDS_PER_MESSAGE = 8e-7;
    private static final double SECONDS_PER_EVENT = 1e-6;

    /** Measured: minimum heap, and input files of 8 NPUs, of 1,024 individual NPUs, and of 273,552 nodes on 8 NPUs. */
    private static final double BASE_BYTES = 11 << 20;

    private static final double BYTES_PER_NPU = 3 << 10;

    /** Measured: a torus of 1,048,576 NPUs with one orbit per kind of link. */
    private static final double BYTES_PER_FOLDED_NPU = 1 << 10;

    private static final double BYTES_PER_NODE = 110;
    private static final double PAGE_BYTES = 50_000;

    /** Measured: table rows of an NPU of a 3D torus, of its six links and of its traffic. */
    private static final double ROW_BYTES_PER_NPU = 850;

    private static final double ROW_BYTES_PER_NODE = 205;

    /** Prefixes of custom collectives are relative to the working directory, as in the reference. */
    private static final Path HERE = Path.of("");

    private volatile @Nullable Resolved resolved;

    /** Caches the resolved machine, because the three steps of a job need it in turn. */
    private record Resolved(AstraSimSettings settings, Path home, SystemInputs machine) {}

    @Override
    public StageSpec<AstraSimSettings> spec() {
        return new StageSpec<>(
                "astra_sim",
                "Simulate collectives and training steps on a network of NPUs, as ASTRA-sim models them.",
                AstraSimSettings.class,
                () -> Stream.concat(AstraTables.all().stream(), PacketTables.all().stream())
                        .toList(),
                1,
                false);
    }

    @Override
    public List<Upstream> upstreams(AstraSimSettings settings) {
        if (settings.trace().prefix().isPresent()) {
            return List.of();
        }
        return List.of(new Upstream(
                Inputs.WORKLOAD,
                "workload",
                List.of("workload"),
                "workload.dir",
                settings.workload().dir()));
    }

    @Override
    public List<Path> reads(AstraSimSettings settings, Path home) throws IOException {
        List<Path> files = new ArrayList<>();
        if (settings.system() instanceof SystemSettings.File system) {
            files.add(ShippedFiles.file(system.file(), home));
        }
        if (settings.network().isPacket()) {
            files.addAll(PacketResolver.files(settings.network().packet(), settings.compat(), home));
        } else if (settings.network().topology() instanceof FabricSettings.File network) {
            files.add(ShippedFiles.file(network.file(), home));
        } else if (settings.network().topology() instanceof FabricSettings.Graph graph) {
            files.add(ShippedFiles.file(graph.file(), home));
        }
        if (settings.memory() instanceof MemorySettings.File memory) {
            files.add(ShippedFiles.file(memory.file(), home));
        }
        settings.groups().file().ifPresent(groups -> files.add(Inputs.groupsFile(groups, home)));
        SystemInputs machine = machine(settings, home);
        files.addAll(CustomFiles.files(machine.system(), HERE));
        if (settings.trace().prefix().isPresent()) {
            Path prefix = TracePrefix.locate(settings.trace().prefix().get(), home);
            RankFiles traces = RankFiles.of(prefix);
            files.addAll(traces.inputs(
                    NodeCount.isOpen(settings)
                            ? traces.count(0)
                            : machine.network().npus()));
        }
        return files;
    }

    @Override
    public void check(AstraSimSettings settings, Path home) throws IOException {
        machine(settings, home);
    }

    /** Reads the machine's files once per settings object; another object with equal values may be later. */
    @SuppressWarnings("ReferenceEquality")
    private SystemInputs machine(AstraSimSettings settings, Path home) throws IOException {
        Resolved last = resolved;
        if (last == null || last.settings() != settings || !last.home().equals(home)) {
            last = new Resolved(settings, home, SystemInputs.resolve(NodeCount.unknown(settings), home));
            resolved = last;
        }
        return last.machine();
    }

    @Override
    public Optional<String> nativeLog() {
        return Optional.of(Artifacts.NATIVE);
    }

    @Override
    public void run(AstraSimSettings configured, StageContext context) throws IOException {
        RankFiles files = RankFiles.of(new Inputs(configured, context).prefix());
        AstraSimSettings settings =
                NodeCount.isOpen(configured) ? NodeCount.fitted(configured, files.count(0)) : configured;
        SystemInputs machine = machine(settings, context.home());
        machine.warnings().forEach(context::warn);
        int npus = machine.network().npus();
        Inputs inputs = new Inputs(settings, context);
        TraceFiles reader = new TraceFiles(
                settings.compat(),
                settings.trace().feeder(),
                machine.system().keys().custom().perNode().isPresent());
        inputs.refuseMore(files, npus);
        TraceFiles.Ranks ranks =
                reader.readRanks(files, npus, (count, of) -> context.progress("traces read", count, of));
        int different = reader.distinct();
        inputs.refuseUnused(MemoryFiles.spec(machine.memory()), ranks.traces());
        CommGroups groups = inputs.groups(ranks.traces());
        SimulationSpec spec = spec(settings, machine, groups, reader, inputs.nsPerDuration());
        Recorder recorder = new Recorder(context, ranks, settings.simulation(), machine.network());
        SimulationResult result;
        if (machine.network() instanceof NetworkPlan.Packet plan) {
            PacketSimulation simulation = new PacketSimulation(plan, spec, ranks.traces(), context);
            double events = simulation.events();
            double seconds = events * SECONDS_PER_EVENT;
            context.expect(expected(events, "frames times links", seconds, BYTES_PER_NPU, settings, ranks.traces()));
            result = simulation.run(recorder);
        } else {
            CollectiveSimulation.Messages messages = CollectiveSimulation.messages(spec, ranks.traces());
            double simulated = messages.simulated();
            String unit = simulated < messages.sent() ? "messages, once per class of equivalent NPUs" : "messages";
            double bytes = bytesPerNpu(simulated, messages.sent());
            double seconds = simulated * SECONDS_PER_MESSAGE;
            context.expect(expected(simulated, unit, seconds, bytes, settings, ranks.traces()));
            result = CollectiveSimulation.run(
                    spec, ranks.traces(), machine.network().make(), recorder);
            if (result.stuck().isPresent() && !result.isStopped()) {
                throw DeadlockMessage.error(result.stuck().get(), npus, result.endNs());
            }
        }
        Conversions.write(machine, settings.network(), groups, context.home(), context.out());
        new Artifacts(settings, machine, result, recorder, context).write(different, spec.nsPerDuration());
    }

    /** Memory per NPU decreases with the share of simulated messages. */
    static double bytesPerNpu(double simulated, double sent) {
        double share = sent == 0 ? 1 : Math.min(1, simulated / sent);
        return BYTES_PER_FOLDED_NPU + share * (BYTES_PER_NPU - BYTES_PER_FOLDED_NPU);
    }

    /** Equal traces are stored once, timelines per NPU. */
    private static Estimate expected(
            double events,
            String counted,
            double seconds,
            double bytesPerNpu,
            AstraSimSettings settings,
            List<RankTrace> traces) {
        double drawn = traces.stream()
                .limit(settings.simulation().timelineNpus())
                .mapToDouble(RankTrace::size)
                .sum();
        double read = traces.stream().distinct().mapToDouble(RankTrace::size).sum();
        return new Estimate(
                events,
                counted,
                seconds,
                BASE_BYTES + traces.size() * bytesPerNpu + Math.max(read, drawn) * BYTES_PER_NODE,
                PAGE_BYTES + traces.size() * ROW_BYTES_PER_NPU + drawn * ROW_BYTES_PER_NODE);
    }

    private static SimulationSpec spec(
            AstraSimSettings settings, SystemInputs machine, CommGroups groups, TraceFiles reader, long nsPerDuration)
            throws IOException {
        SimulationKeys keys = settings.simulation();
        SystemFile.Options options =
                new SystemFile.Options(keys.queuesPerDim(), keys.injectionScale(), keys.rendezvous());
        SystemSpec system = machine.system()
                .spec(
                        options,
                        CustomFiles.collectives(machine.system(), reader, HERE),
                        CustomFiles.nodes(machine.system(), reader, HERE),
                        machine.network().bytesPerNs());
        boolean symmetry = keys.symmetry() && machine.network().isUniform();
        return new SimulationSpec(
                system,
                machine.network().dimensions(),
                MemoryFiles.spec(machine.memory()),
                groups,
                settings.compat(),
                symmetry,
                nsPerDuration);
    }

    /** A run on the packet network with its additional artifacts. */
    private record PacketSimulation(
            NetworkPlan.Packet plan, SimulationSpec spec, List<RankTrace> traces, StageContext context) {
        /**
         * Runs and writes the artifacts.
         *
         * @throws dev.stagesim.model.StageException (input) if NPUs never finish
         */
        SimulationResult run(Recorder recorder) throws IOException {
            Path out = context.out();
            try (PacketFiles files = new PacketFiles(plan, out)) {
                SimulationResult result = CollectiveSimulation.run(spec, traces, files.network(), recorder);
                if (result.stuck().isPresent() && !result.isStopped()) {
                    throw PacketDeadlockMessage.error(
                            DeadlockMessage.error(result.stuck().get(), plan.npus(), result.endNs()), files.network());
                }
                long duration = new RunMetrics(result, result.isStopped()).duration();
                files.tables(Math.max(duration, result.endNs()));
                PacketCounterparts counterparts = new PacketCounterparts(spec, traces, duration);
                List<PacketCounterparts.Row> rows =
                        result.isStopped() ? counterparts.packetOnly() : counterparts.run(files.network());
                PacketCounterparts.write(rows, out);
                warn(files, result.endNs());
                if (result.isStopped()) {
                    context.warn("the run was stopped, so that " + PacketTables.BACKENDS.name()
                            + " has no analytical networks: they would run to the end");
                }
                PacketReport report = new PacketReport(plan, files, rows, duration, result.isStopped());
                Files.writeString(out.resolve("packet.html"), report.report().html());
                return result;
            }
        }

        /** Number of frames times the mean number of cables; trains take fewer events. */
        double events() {
            double frames = traces.stream().mapToDouble(RankTrace::bytesSent).sum()
                    / plan.spec().transport().payload();
            return frames * plan.spec().topology().meanDistance();
        }

        /** Warns of explicit routes between hosts without traffic. */
        private void idleRoutes(PacketFiles files) {
            List<List<Integer>> routes = plan.spec().paths().routes();
            if (routes.isEmpty()) {
                return;
            }
            Set<List<Integer>> sending = new LinkedHashSet<>();
            for (int i = 0; i < files.recorder().flows(); i++) {
                long[] flow = files.recorder().flow(i);
                sending.add(List.of((int) flow[0], (int) flow[1]));
            }
            files.network().openFlows().forEach(flow -> sending.add(List.of(flow.source(), flow.destination())));
            for (List<Integer> route : routes) {
                int source = route.get(0);
                int destination = route.get(route.size() - 1);
                if (!sending.contains(List.of(source, destination))) {
                    context.warn("network.packet.routes: the path " + route + " had no effect, since host " + source
                            + " sent nothing to host " + destination);
                }
            }
        }

        private void warn(PacketFiles files, long end) {
            plan.spec()
                    .linkDown()
                    .filter(down -> down.atNs() > end)
                    .ifPresent(down -> context.warn("the cable between nodes " + down.a() + " and " + down.b()
                            + " was to fail at " + down.atNs() + " ns, after the end of the run at " + end + " ns"));
            idleRoutes(files);
            PacketTotals totals = files.network().totals();
            if (totals.dropped() > 0) {
                context.warn(PacketReasons.frames(totals.dropped()) + " dropped at switches with a full buffer");
            }
            if (totals.lost() > 0) {
                context.warn(PacketReasons.frames(totals.lost()) + " lost on cables; flows went back "
                        + PacketReasons.times(totals.retransmissions()) + " to send again");
            }
            if (files.recorder().areSamplesCut()) {
                context.warn("queue_occupancy.csv ends early; raise network.packet.sample_period");
            }
            context.headline("packet_marked_frames", totals.marked());
            context.headline("packet_pause_resume_frames", totals.pauseFrames());
        }
    }
}
