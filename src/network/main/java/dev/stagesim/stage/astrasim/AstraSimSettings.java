package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Key;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.network.NetworkSettings;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Configuration of the stage {@code astra_sim}. */
record AstraSimSettings(
        @Key("Workload of the NPUs; workload.dir names a finished run with traces. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("Traces outside a run.") TraceSettings trace,
        @Key("Execution of collectives and computations on an NPU. | { kind = keys }") SystemSettings system,
        @Key("Network between the NPUs.") NetworkSettings network,
        @Key("Memory outside the NPUs. | { kind = none }") MemorySettings memory,
        @Key("Communicator groups.") GroupSettings groups,
        @Key("Options of the simulation and its output.") SimulationKeys simulation,
        @Key("Implementation to reproduce, including its defects: astra for ASTRA-sim of 2026"
                        + " (518bd51), astra_2023 for ASTRA-sim of November 2023 (56b533f), ns3 for the packet"
                        + " network of ASTRA-sim. none fixes the defects. | none")
                AstraCompat compat) {

    /** The section {@code trace}. */
    record TraceSettings(
            @Key("Traces to run instead of a workload: the trace of an NPU is <prefix>.<rank>.et. | null")
                    Optional<Path> prefix,
            @Key("Unit of the durations of nodes; null derives it from the source of the traces: ns for a"
                            + " workload text with unchanged times, ns with compat=astra_2023, else us. |"
                            + " null")
                    Optional<TimeUnit> timeUnit,
            @Key("Chakra feeder that releases nodes: v3 for data and control"
                            + " dependencies without repetition, as in ASTRA-sim since 2025; v1 for data dependencies"
                            + " only, as in 2024. | v3")
                    FeederVersion feeder) {}

    /** Units of the durations in traces. */
    enum TimeUnit {
        /** Microseconds, the unit of the format. */
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
    record GroupSettings(
            @Key("File of communicator groups (JSON); null for the workload's comm_groups.json, if it has one. | null")
                    Optional<Path> file) {}

    /** The section {@code simulation}. */
    record SimulationKeys(
            @Key("Queues that share the chunks of a dimension. | 1 | 1..1000000") int queuesPerDim,
            @Key("Factor of the endpoint delay. | 1.0 | 0..1000000") double injectionScale,
            @Key("Whether the receiver requests every message from the sender. | false") boolean rendezvous,
            @Key("Whether equivalent NPUs are simulated once; results do not change. |" + " true") boolean symmetry,
            @Key("Stop after this time; null to run until all NPUs are done. | null | ns | 1..1000000000000000000")
                    Optional<Long> stopAtNs,
            @Key("Number of NPUs in node_timeline.csv, exposed_communication.csv and trace.json, from rank 0"
                            + " upwards; 0 writes none of the three. | 256 | NPUs | 0..1000000000")
                    int timelineNpus,
            @Key("Maximum number of events in trace.json, for the Perfetto UI. | 200000 | events | 0..1000000000")
                    int traceEvents,
            @Key("Whether to write communication_matrix.csv. | true") boolean matrix,
            @Key("Whether to write report.html. | true") boolean report) {}
}
