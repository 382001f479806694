package dev.stagesim.measure;

import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import java.nio.file.Path;

/** The workload that {@code real_bench} runs on this machine: the section {@code bench}. */
public sealed interface BenchSettings permits BenchSettings.None, BenchSettings.Tf {
    @Variant("none | No workload: a measurement is read from a file, or a server is measured.")
    record None() implements BenchSettings {}

    @Variant("tf | A workload of the profiling suite, run by TensorFlow for Java in separate processes.")
    record Tf(
            @Unwrapped StepCounts counts,
            @Key("Behaviour if the workload needs a GPU and no GPU is visible. | fail") MissingDevice onMissingDevice,
            @Key("Data type used instead of float16 on the CPU, which lacks most float16 kernels. | bfloat16")
                    CpuPrecision cpuPrecision,
            @Key("Whether the training step is compiled by XLA as one function. | spec") Xla xla,
            @Key("Number of threads of the framework. | spec") Threads threads,
            @Key("Whether to reproduce bugs of the suite's programs: sources that end too early, and caches of "
                            + "endless streams. | false")
                    boolean defects,
            @Key("Sequential repetitions in separate processes. Their losses must be equal; the spread of their "
                            + "times is the measurement noise. | 2 | 1..100")
                    int processes,
            @Key("Timeout of a process. | 1800 | s | 1..100000000") int timeoutS,
            @Key("Description of a systolic array. The report compares its cycles with the measured times of "
                            + "matrix products. | \"configs/scale_sim_files/ws_128.cfg\"")
                    Path array,
            @Key("Clock of that array. | 1 | GHz | 0.000001..1000") double clockGhz)
            implements BenchSettings {
        /** Numbers of steps. */
        public record StepCounts(
                @Key("Measured steps. | 20 | 1..1000000000") int steps,
                @Key("Steps before the measurement. | 5 | 0..1000000000") int warmup,
                @Key("Further steps with a time for each operation; the first three are not counted. | 8 | "
                                + "0..1000000000")
                        int traceSteps,
                @Key("Forward passes after training. | 100 | 1..1000000000") int inferSteps,
                @Key("Whether to run the epochs and steps of the workload instead of bench.steps. | false")
                        boolean fullLength) {}
    }

    /** Behaviour if the device that a workload needs is absent. */
    enum MissingDevice {
        FAIL, // Refuse the run.
        CPU // Run on the CPU, with a warning.
    }

    /** Data type used instead of float16 on the CPU. */
    enum CpuPrecision {
        BFLOAT16, // Casts to bfloat16.
        FLOAT32 // No casts.
    }

    /** Whether the training step is compiled. */
    enum Xla {
        SPEC, // The setting of the workload.
        ON, // Always.
        OFF // Never.
    }

    /** Number of threads of the framework. */
    enum Threads {
        SPEC, // The setting of the workload.
        CAP, // The setting of the workload, limited to the number of processors.
        ONE // One thread, so that the times of operations add up to the time of the step.
    }
}
