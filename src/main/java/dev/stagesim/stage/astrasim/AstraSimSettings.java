package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Key;
import dev.stagesim.settings.MemorySettings;
import dev.stagesim.settings.NetworkSettings;
import dev.stagesim.settings.SystemSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.stage.PassedTo;
import java.nio.file.Path;
import java.util.Optional;

/** Configuration of the stage {@code astra_sim}. */
public record AstraSimSettings(
        @Key(doc = "What the NPUs run; workload.dir names a finished run that has traces.", def = "{ kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key(doc = "Traces that are no run's.") TraceSettings trace,
        @Key(doc = "How NPUs run collectives and computations.", def = "{ kind = keys }") SystemSettings system,
        @Key(doc = "What is between them.") NetworkSettings network,
        @Key(doc = "Memory outside the NPUs.", def = "{ kind = none }") MemorySettings memory,
        @Key(doc = "Communicator groups.") GroupSettings groups,
        @Key(doc = "How the simulation runs and what it writes.") SimulationKeys simulation,
        @Key(
                        doc = "Whose numbers to reproduce: none for sound behaviour, astra for ASTRA-sim as of 2026"
                                + " (518bd51), astra_2023 for it as of November 2023 (56b533f), ns3 for its packet network,"
                                + " quirks included.",
                        def = "none")
                Compat compat) {

    /** The section {@code trace}. */
    public record TraceSettings(
            @Key(
                            doc = "Traces to run instead of a workload's: the trace of an NPU is <prefix>.<rank>.et.",
                            def = "null")
                    Optional<Path> prefix,
            @Key(
                            doc = "What a unit of a node's duration stands for; null for what the traces are known to"
                                    + " mean: ns of a workload text whose times were taken over as they stand, ns with"
                                    + " compat=astra_2023, else us.",
                            def = "null")
                    Optional<TimeUnit> timeUnit,
            @Key(
                            doc = "Which of Chakra's feeders says when a node may start: v3 for data and control"
                                    + " dependencies, each once, as ASTRA-sim has it since 2025; v1 for data"
                                    + " dependencies alone, as it had it in 2024.",
                            def = "v3")
                    FeederVersion feeder) {}

    /** Units of the durations in traces. */
    public enum TimeUnit {
        /** Microseconds, as the format has them. */
        US(1000),
        /** Nanoseconds, or cycles of 1 GHz. */
        NS(1);

        private final long ns;

        TimeUnit(long ns) {
            this.ns = ns;
        }

        long ns() {
            return ns;
        }
    }

    /** The section {@code groups}. */
    public record GroupSettings(
            @Key(
                            doc = "File of communicator groups (JSON); null for the workload's comm_groups.json, if it"
                                    + " has one.",
                            def = "null")
                    Optional<Path> file) {}

    /** The section {@code simulation}. */
    public record SimulationKeys(
            @Key(doc = "Queues that the chunks of a dimension are spread over.", def = "1", min = "1") int queuesPerDim,
            @Key(doc = "Factor of the endpoint delay.", def = "1.0", min = "0") double injectionScale,
            @Key(doc = "Whether a receiver asks the sender before every message.", def = "false") boolean rendezvous,
            @Key(
                            doc = "Whether NPUs with the same work in equivalent places are simulated once; results are"
                                    + " the same.",
                            def = "true")
                    boolean symmetry,
            @Key(
                            doc = "Stop after this time; null to run until all NPUs are done.",
                            unit = "ns",
                            def = "null",
                            min = "1")
                    Optional<Long> stopAtNs,
            @Key(
                            doc = "NPUs whose nodes are in node_timeline.csv, exposed_communication.csv and trace.json,"
                                    + " from rank 0 on; 0 writes none of the three.",
                            unit = "NPUs",
                            def = "256",
                            min = "0")
                    int timelineNpus,
            @Key(doc = "Most events in trace.json, for the Perfetto UI.", unit = "events", def = "200000", min = "0")
                    int traceEvents,
            @Key(doc = "Whether to write communication_matrix.csv.", def = "true") boolean matrix,
            @Key(doc = "Whether to write report.html.", def = "true") boolean report) {}
}
