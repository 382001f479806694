package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.sim.collective.result.CollectiveDeadlock;
import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.NpuStatistics.Utilization;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.network.LinkUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Writes the tables of a run. */
record TableFiles(Path out) {
    private TableWriter open(dev.stagesim.contract.TableSchema schema) throws IOException {
        return TableWriter.create(out.resolve(schema.name()), schema);
    }

    void npus(SimulationResult result) throws IOException {
        try (TableWriter table = open(AstraTables.NPUS)) {
            for (int npu = 0; npu < result.finishNs().length; npu++) {
                Optional<NpuStatistics> figures = result.statistics().get(npu);
                boolean isDone = result.finishNs()[npu] >= 0;
                table.put((long) npu);
                put(table, isDone ? OptionalLong.of(result.finishNs()[npu]) : OptionalLong.empty());
                put(table, isDone ? OptionalLong.of(result.exposedNs()[npu]) : OptionalLong.empty());
                put(table, figures.map(NpuStatistics::gpuNs).orElse(OptionalLong.empty()));
                put(table, figures.map(NpuStatistics::commNs).orElse(OptionalLong.empty()));
                put(
                        table,
                        figures.map(some -> OptionalLong.of(some.overlapNs())).orElse(OptionalLong.empty()));
                put(table, figures.map(NpuStatistics::cpuNs).orElse(OptionalLong.empty()));
                put(table, figures.map(NpuStatistics::memoryNs).orElse(OptionalLong.empty()));
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

    private static void put(TableWriter table, OptionalLong value) throws IOException {
        if (value.isPresent()) {
            table.put(value.getAsLong());
        } else {
            table.putEmpty();
        }
    }

    private static TableWriter putText(TableWriter table, String text) throws IOException {
        return text.isEmpty() ? table.putEmpty() : table.put(text);
    }

    void nodes(NodeLog log) throws IOException {
        try (TableWriter table = open(AstraTables.NODES)) {
            log.byEnd((rank, i) -> putText(table.put((long) rank).put(log.id(rank, i)), log.name(i))
                    .put(log.kind(i).text())
                    .put(log.bytes(i))
                    .put(log.start(i))
                    .put(log.end(i))
                    .endRow());
        }
    }

    void exposed(NodeLog log) throws IOException {
        try (TableWriter table = open(AstraTables.EXPOSED)) {
            Exposure.of(log, interval -> {
                table.put((long) interval.npu()).put(interval.start()).put(interval.end());
                putText(table, log.name(interval.entry())).endRow();
            });
        }
    }

    void links(List<LinkUse> links, RunMetrics figures) throws IOException {
        try (TableWriter table = open(AstraTables.LINKS)) {
            for (LinkUse link : links) {
                table.put((long) link.from())
                        .put((long) link.to())
                        .put((long) link.dimension())
                        .put(link.bandwidth())
                        .put(link.messages())
                        .put(link.bytes())
                        .put(link.busyNs())
                        .put(figures.utilization(link))
                        .put(link.waitingNs())
                        .put((long) link.longestQueue())
                        .endRow();
            }
        }
    }

    void matrix(Matrix matrix) throws IOException {
        try (TableWriter table = open(AstraTables.MATRIX)) {
            matrix.forEach((source, destination, messages, bytes) -> {
                try {
                    table.put((long) source)
                            .put((long) destination)
                            .put(messages)
                            .put(bytes)
                            .endRow();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    void waiting(CollectiveDeadlock report) throws IOException {
        try (TableWriter table = open(AstraTables.WAITING)) {
            for (CollectiveDeadlock.Waiting one : report.waiting()) {
                table.put((long) one.npu());
                putText(table, one.nodes().stream().map(Long::toUnsignedString).collect(Collectors.joining(" ")))
                        .put(one.what());
                putText(table, one.peers().stream().map(String::valueOf).collect(Collectors.joining(" ")))
                        .endRow();
            }
        }
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
