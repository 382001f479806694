package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;

/** What {@code real_bench} runs itself: the section {@code bench}. */
public sealed interface BenchSettings permits BenchSettings.None, BenchSettings.Tf {
    @Variant("none | Nothing: a measurement is read, or taken of a server.")
    record None() implements BenchSettings {}

    @Variant("tf | A workload of the profiling suite, run by TensorFlow for Java in processes of its own.")
    record Tf(
            @Key("Steps that are measured. | 20 | 1..1000000000") int steps,
            @Key("Steps before those. | 5 | 0..1000000000") int warmup,
            @Key("Steps after those whose operations are timed one by one; the first three such steps are not"
                            + " counted. | 8 | 0..1000000000")
                    int traceSteps,
            @Key("Forward passes after training. | 100 | 1..1000000000") int inferSteps,
            @Key("Whether to run the workload's own epochs and steps instead of bench.steps. | false")
                    boolean fullLength,
            @Key("What to do when the workload needs a GPU and none is visible. | fail") MissingDevice onMissingDevice,
            @Key("Data type used instead of float16 on the CPU, which lacks most float16 kernels. | bfloat16")
                    CpuPrecision cpuPrecision,
            @Key("Whether the training step is compiled by XLA as one function. | spec") Xla xla,
            @Key("How many threads the framework gets. | spec") Threads threads,
            @Key("Whether to keep what programs of the suite do wrong: sources that run dry, endless streams that are"
                            + " cached. | false")
                    boolean defects,
            @Key("Processes that run the same one after the other; their losses must be equal, and their times say"
                            + " how far apart equal runs are. | 2 | 1..100")
                    int processes,
            @Key("Longest life of a process. | 1800 | s | 1..100000000") int timeoutS,
            @Key(
                            "Array whose cycles are shown next to measured times of products. | \"configs/scale_sim_files/ws_128.cfg\"")
                    Path array,
            @Key("Clock of that array. | 1 | GHz | 0.000001..1000") double clockGhz)
            implements BenchSettings {}

    /** What to do without the device that a workload needs. */
    enum MissingDevice {
        FAIL, // Refuse the run.
        CPU // Run on the processor, and say so.
    }

    /** Data type used instead of float16 on the CPU. */
    enum CpuPrecision {
        BFLOAT16, // The same casts to bfloat16.
        FLOAT32 // No casts.
    }

    /** Whether the training step is compiled. */
    enum Xla {
        SPEC, // As the workload says.
        ON, // Always.
        OFF // Never.
    }

    /** How many threads the framework gets. */
    enum Threads {
        SPEC, // As the workload says.
        CAP, // As the workload says, but no more than there are processors.
        ONE // One, so that the times of operations add up to the step's.
    }
}
