package dev.stagesim.feature.pytorch;

import dev.stagesim.feature.pytorch.convert.ConvertRules;
import dev.stagesim.feature.pytorch.convert.ConvertedTrace;
import dev.stagesim.feature.pytorch.convert.Converter;
import dev.stagesim.feature.pytorch.json.DeviceTraceReader;
import dev.stagesim.feature.pytorch.json.HostTraceReader;
import dev.stagesim.feature.pytorch.json.LinkedTraceWriter;
import dev.stagesim.feature.pytorch.link.DeviceTrace;
import dev.stagesim.feature.pytorch.link.LinkResult;
import dev.stagesim.feature.pytorch.link.LinkRules;
import dev.stagesim.feature.pytorch.link.Linker;
import dev.stagesim.feature.pytorch.link.SyncTable;
import dev.stagesim.feature.pytorch.trace.HostTrace;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.io.background.BackgroundThread;
import dev.stagesim.io.background.BackgroundThread.Result;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.stage.StageContext;
import dev.stagesim.traces.PytorchWorkload;
import dev.stagesim.traces.PytorchWorkload.UnknownComm;
import dev.stagesim.traces.TraceFolder;
import dev.stagesim.workload.CompatMode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes the execution traces of a recorded PyTorch run. */
final class PytorchWriter {
    private final PytorchWorkload settings;
    private final boolean isReference;
    private final StageContext context;
    private final PytorchFiles files;
    private final DataTable table = new DataTable("Traces")
            .columns(
                    "#Rank",
                    "#Nodes",
                    "#Host operators",
                    "#Device operators",
                    "#Communications",
                    "#Bytes moved",
                    "#Dependencies");
    private final SortedMap<Integer, List<Integer>> groups = new TreeMap<>();
    private long allNodes;
    private long allDevice;
    private long allBytes;

    PytorchWriter(PytorchWorkload settings, CompatMode compat, StageContext context) {
        this.settings = settings;
        this.context = context;
        isReference = compat == CompatMode.CHAKRA;
        files = PytorchFiles.of(settings, context.home());
    }

    void write() throws IOException {
        Optional<SyncTable> synchronisations = files.syncTable().isPresent()
                ? Optional.of(table(files.syncTable().get()))
                : Optional.empty();
        for (PytorchFiles.Rank rank : files.ranks()) {
            context.progress("ranks", rank.rank(), files.ranks().size());
            write(rank, synchronisations);
        }
        new TraceFolder(context.out(), settings.output()).groups(groups);
        context.headline("nodes", allNodes);
        context.headline("device_ops", allDevice);
        context.headline("comm_bytes", allBytes);
        new Report("Execution traces of " + Count.of(files.ranks().size(), "rank"))
                .answer("Made from a recorded PyTorch run.")
                .table(table)
                .summary(context.out());
    }

    private void write(PytorchFiles.Rank rank, Optional<SyncTable> synchronisations) throws IOException {
        PlusTrace trace = linked(rank, synchronisations);
        if (!settings.linked()) {
            convert(rank, trace);
            return;
        }
        Path file = context.out().resolve("linked." + rank.rank() + ".json");
        try (BackgroundThread thread = new BackgroundThread("linked-trace")) {
            Result<Path> json = thread.start(() -> LinkedTraceWriter.write(file, trace, isReference));
            convert(rank, trace);
            json.get();
        }
    }

    private void convert(PytorchFiles.Rank rank, PlusTrace trace) throws IOException {
        Path out = context.out();
        boolean isComputed = settings.unknownComm().equals(Optional.of(UnknownComm.COMPUTE));
        ConvertedTrace conversion = Converter.convert(trace, new ConvertRules(isReference, rank.rank(), isComputed));
        conversion.groups().forEach((number, ranks) -> {
            List<Integer> other = groups.put(number, ranks);
            if (other != null && !other.equals(ranks)) {
                context.warn("group " + number + " has the ranks " + other + " on one rank, and " + ranks + " on rank "
                        + rank.rank());
            }
        });
        conversion.remarks().forEach(remark -> context.warn("rank " + rank.rank() + ": " + remark));
        Figures figures = new Figures();
        try (EtWriter writer = EtWriter.create(
                OutputFile.in(out, settings.output() + "." + rank.rank() + ".et"), conversion.metadata())) {
            for (EtNode node : conversion.nodes()) {
                writer.write(node);
                figures.add(node);
            }
        }
        figures.addTo(rank.rank());
        if (settings.simulate()) {
            try (BufferedWriter log =
                    Files.newBufferedWriter(out.resolve("simulate." + rank.rank() + ".log"), StandardCharsets.UTF_8)) {
                for (String line : conversion.simulation()) {
                    log.write(line);
                    log.write('\n');
                }
            }
        }
    }

    private PlusTrace linked(PytorchFiles.Rank rank, Optional<SyncTable> synchronisations) throws IOException {
        if (rank.device().isEmpty()) {
            PlusTrace trace = HostTraceReader.readLinked(rank.host());
            if (!isReference
                    && trace.nodes().stream().allMatch(node -> node.times().isEmpty() && !node.isDevice())) {
                throw StageException.input(Problem.trace(
                                rank.host().toString(), "is not linked: no node has a time, and none is of the device")
                        .hint("workload.device=<trace of the profiler> links it"));
            }
            return trace;
        }
        Path file = rank.device().get();
        LinkResult result;
        try (BackgroundThread thread = new BackgroundThread("device-trace")) {
            Result<DeviceTrace> device = thread.start(() -> DeviceTraceReader.read(file));
            HostTrace host = HostTraceReader.read(rank.host());
            result = Linker.link(host, device.get(), new LinkRules(isReference, settings.pause(), synchronisations));
        }
        result.remarks().forEach(remark -> context.warn("rank " + rank.rank() + ": " + remark));
        return result.trace();
    }

    private static SyncTable table(Path file) throws IOException {
        TreeMap<Long, long[]> starts = new TreeMap<>();
        Json.read(file).members().forEach((end, list) -> {
            try {
                starts.put(Long.parseLong(end), list.asLongs());
            } catch (NumberFormatException notAnId) {
                throw StageException.input(
                        Problem.trace(list.where(), "expected an external id, found '" + end + "'"), notAnId);
            }
        });
        return new SyncTable(starts);
    }

    /** Counters for one trace. */
    private final class Figures {
        private long nodes;
        private long device;
        private long comms;
        private long bytes;
        private long dependencies;

        void add(EtNode node) {
            nodes++;
            device += node.longAttribute(EtNames.IS_CPU_OP).orElse(1) == 0 ? 1 : 0;
            if (node.type().isCommunication()) {
                comms++;
                bytes += node.longAttribute(EtNames.COMM_SIZE).orElse(0);
            }
            dependencies += node.dataDeps().length;
        }

        void addTo(int rank) {
            table.row(
                    Integer.toString(rank),
                    Numbers.count(nodes),
                    Numbers.count(nodes - device),
                    Numbers.count(device),
                    Numbers.count(comms),
                    Numbers.count(bytes),
                    Numbers.count(dependencies));
            allNodes += nodes;
            allDevice += device;
            allBytes += bytes;
        }
    }
}
