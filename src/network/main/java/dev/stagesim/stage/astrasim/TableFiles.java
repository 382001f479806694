package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.sim.collective.result.CollectiveDeadlock;
import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.NpuStatistics.Utilization;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.network.LinkUse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Writes the tables of a run. */
record TableFiles(Path out) {
    void npus(SimulationResult result) throws IOException {
        try (TableWriter table = TableWriter.in(out, AstraTables.NPUS)) {
            for (int npu = 0; npu < result.finishNs().length; npu++) {
                Optional<NpuStatistics> figures = result.statistics().get(npu);
                boolean isDone = result.finishNs()[npu] >= 0;
                table.put((long) npu);
                table.putIf(isDone, result.finishNs()[npu]).putIf(isDone, result.exposedNs()[npu]);
                table.put(figures.map(NpuStatistics::gpuNs).orElse(OptionalLong.empty()));
                table.put(figures.map(NpuStatistics::commNs).orElse(OptionalLong.empty()));
                table.putIf(
                        figures.isPresent(),
                        figures.map(NpuStatistics::overlapNs).orElse(0L));
                table.put(figures.map(NpuStatistics::cpuNs).orElse(OptionalLong.empty()));
                table.put(figures.map(NpuStatistics::memoryNs).orElse(OptionalLong.empty()));
                roofline(table, figures.flatMap(NpuStatistics::roofline));
                table.endRow();
            }
        }
    }

    private static void roofline(TableWriter table, Optional<Utilization> use) throws IOException {
        if (use.isEmpty()) {
            table.putEmpty().putEmpty().putEmpty().putEmpty();
            return;
        }
        // a peak or bandwidth of 0, accepted by the reference, makes shares undefined
        table.putFinite(use.get().computeBound());
        table.putFinite(use.get().compute());
        table.putFinite(use.get().memory());
        table.putFinite(use.get().intensity());
    }

    void nodes(NodeLog log) throws IOException {
        try (TableWriter table = TableWriter.in(out, AstraTables.NODES)) {
            log.byEnd((rank, i) -> table.put((long) rank)
                    .put(log.id(rank, i))
                    .put(log.name(i))
                    .put(log.kind(i).text())
                    .put(log.bytes(i))
                    .put(log.start(i))
                    .put(log.end(i))
                    .endRow());
        }
    }

    void exposed(NodeLog log) throws IOException {
        try (TableWriter table = TableWriter.in(out, AstraTables.EXPOSED)) {
            Exposure.of(log, interval -> {
                table.put((long) interval.npu()).put(interval.start()).put(interval.end());
                table.put(log.name(interval.entry())).endRow();
            });
        }
    }

    void links(List<LinkUse> links, RunMetrics figures) throws IOException {
        TableWriter.write(out, AstraTables.LINKS, links, (table, link) -> {
            table.put((long) link.from()).put((long) link.to()).put((long) link.dimension());
            table.put(link.bandwidth()).put(link.messages()).put(link.bytes()).put(link.busyNs());
            table.put(figures.utilization(link)).put(link.waitingNs()).put((long) link.longestQueue());
        });
    }

    void matrix(Matrix matrix) throws IOException {
        try (TableWriter table = TableWriter.in(out, AstraTables.MATRIX)) {
            matrix.forEach((source, destination, messages, bytes) -> Unchecked.run(() -> table.put((long) source)
                    .put((long) destination)
                    .put(messages)
                    .put(bytes)
                    .endRow()));
        }
    }

    void waiting(CollectiveDeadlock report) throws IOException {
        TableWriter.write(out, AstraTables.WAITING, report.waiting(), (table, npu) -> {
            table.put((long) npu.npu());
            table.put(npu.nodes().stream().map(Long::toUnsignedString).collect(Collectors.joining(" ")));
            table.put(npu.what());
            table.put(npu.peers().stream().map(String::valueOf).collect(Collectors.joining(" ")));
        });
    }

    /** Finds the times when an NPU communicates without computing. */
    private static final class Exposure {
        private Exposure() {}

        /**
         * Such a time.
         *
         * @param entry log entry of the earliest active communication
         */
        record Interval(int npu, long start, long end, int entry) {}

        /** Receives the intervals. */
        interface Sink {
            void interval(Interval interval) throws IOException;
        }

        /** Visits all intervals, by NPU and then by time. */
        static void of(NodeLog log, Sink all) throws IOException {
            for (int npu = 0; npu < log.npus(); npu++) {
                ofNpu(log, npu, all);
            }
        }

        /** Visits the communications by start, each from the end of the previous one, and removes the computations. */
        private static void ofNpu(NodeLog log, int npu, Sink all) throws IOException {
            int[] order = log.ofNpu(npu);
            int[] computations = Arrays.stream(order)
                    .filter(i -> log.kind(i) == NodeLog.Kind.COMPUTE && log.end(i) > log.start(i))
                    .toArray();
            long covered = Long.MIN_VALUE;
            int next = 0;
            for (int i : order) {
                if (!log.kind(i).isCommunication()) {
                    continue;
                }
                long at = Math.max(covered, log.start(i));
                long end = log.end(i);
                while (next < computations.length && log.end(computations[next]) <= at) {
                    next++;
                }
                for (int c = next; c < computations.length && log.start(computations[c]) < end; c++) {
                    if (log.start(computations[c]) > at) {
                        all.interval(new Interval(npu, at, log.start(computations[c]), i));
                    }
                    at = Math.max(at, log.end(computations[c]));
                }
                if (end > at) {
                    all.interval(new Interval(npu, at, end, i));
                }
                covered = Math.max(covered, end);
            }
        }
    }
}
