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
        @Key("What the NPUs run; workload.dir names a finished run that has traces. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("Traces that are no run's.") TraceSettings trace,
        @Key("How NPUs run collectives and computations. | { kind = keys }") SystemSettings system,
        @Key("What is between them.") NetworkSettings network,
        @Key("Memory outside the NPUs. | { kind = none }") MemorySettings memory,
        @Key("Communicator groups.") GroupSettings groups,
        @Key("How the simulation runs and what it writes.") SimulationKeys simulation,
        @Key("Whose numbers to reproduce: none for sound behaviour, astra for ASTRA-sim as of 2026"
                        + " (518bd51), astra_2023 for it as of November 2023 (56b533f), ns3 for its packet"
                        + " network, quirks included. | none")
                Compat compat) {

    /** The section {@code trace}. */
    public record TraceSettings(
            @Key("Traces to run instead of a workload's: the trace of an NPU is <prefix>.<rank>.et. | null")
                    Optional<Path> prefix,
            @Key("Length of a unit of a node's duration; null for what the traces are known to mean: ns of a"
                            + " workload text whose times were taken over as they stand, ns with compat=astra_2023, else us. |"
                            + " null")
                    Optional<TimeUnit> timeUnit,
            @Key("Which of Chakra's feeders says when a node may start: v3 for data and control"
                            + " dependencies, each once, as ASTRA-sim has it since 2025; v1 for data dependencies"
                            + " alone, as it had it in 2024. | v3")
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
            @Key("File of communicator groups (JSON); null for the workload's comm_groups.json, if it has one. | null")
                    Optional<Path> file) {}

    /** The section {@code simulation}. */
    public record SimulationKeys(
            @Key("Queues that the chunks of a dimension are spread over. | 1 | 1..1000000") int queuesPerDim,
            @Key("Factor of the endpoint delay. | 1.0 | 0..1000000") double injectionScale,
            @Key("Whether a receiver asks the sender before every message. | false") boolean rendezvous,
            @Key("Whether NPUs with the same work in equivalent places are simulated once; results are the same. |"
                            + " true")
                    boolean symmetry,
            @Key("Stop after this time; null to run until all NPUs are done. | null | ns | 1..1000000000000000000")
                    Optional<Long> stopAtNs,
            @Key("NPUs whose nodes are in node_timeline.csv, exposed_communication.csv and trace.json, from rank 0"
                            + " on; 0 writes none of the three. | 256 | NPUs | 0..1000000000")
                    int timelineNpus,
            @Key("Maximum number of events in trace.json, for the Perfetto UI. | 200000 | events | 0..1000000000")
                    int traceEvents,
            @Key("Whether to write communication_matrix.csv. | true") boolean matrix,
            @Key("Whether to write report.html. | true") boolean report) {}
}
