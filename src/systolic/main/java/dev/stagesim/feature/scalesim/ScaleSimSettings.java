package dev.stagesim.feature.scalesim;

import dev.stagesim.model.Key;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Configuration of the stage {@code scale_sim}. */
record ScaleSimSettings(
        @Key("Layers to run.") TopologySettings topology,
        @Key("Array to run them on.") ArchSettings arch,
        @Key("Energy per action. | {}") EnergySettings energy,
        @Key("Write the SRAM and DRAM traces of every layer, into layer<N>/; they may be large. | false")
                boolean traces,
        @Key("Whose figures to report, known miscounts included. | none") ScaleSimCompat compat,
        @Key("Workload of the profiling suite whose products to run instead of a topology; chosen with"
                        + " workload=tf/<name>. | null")
                @PassedTo("workload")
                Optional<WorkloadSettings> workload,
        @Key("Source of workload values of the profiling suite. | {}") @PassedTo("workload") SuiteSettings suite) {

    /** Section {@code topology}. */
    record TopologySettings(
            @Key("Topology table.") Path file,
            @Key("Whether rows are matrix products or convolutions. | gemm") Format format,
            @Key("Inputs that are computed together; multiplies M of a matrix product, or the number of products of a"
                            + " batched one. | 1 | 1..1000000000")
                    int batch,
            @Key("Layout table, for arrays that require one. | null") Optional<Path> layout,
            @Key("Directory of recorded memory latencies, for arrays that require them. | null")
                    Optional<Path> latencies) {}

    /** Row formats of a topology. */
    enum Format {
        /** {@code name, M, N, K,}. */
        GEMM,
        /** {@code name, H, W, R, S, C, filters, stride,}. */
        CONV
    }

    /** Section {@code arch}. */
    record ArchSettings(@Key("Array description.") Path file) {}

    /** Section {@code energy}; the defaults are per 8-bit word at 45 nm. */
    record EnergySettings(
            @Key("Where the figures come from, with the node; shown in the report. | \"M. Horowitz, ISSCC 2014,"
                            + " figure 1.1.9, 45 nm, 8-bit words\"")
                    String source,
            @Key("One multiply-accumulate: 8-bit multiply 0.2 pJ and add 0.03 pJ (Horowitz, ISSCC 2014, figure"
                            + " 1.1.9). | 0.23 | pJ | 0..1000000000")
                    double macPj,
            @Key("One word read or written on chip: 100 pJ per 64 bits of a 1 MB memory (Horowitz, ISSCC 2014, figure"
                            + " 1.1.9). | 12.5 | pJ | 0..1000000000")
                    double sramPj,
            @Key("One word to or from outside: 1.3 nJ per 64 bits, the lower end (Horowitz, ISSCC 2014, figure"
                            + " 1.1.9). | 162.5 | pJ | 0..1000000000")
                    double dramPj) {}
}
