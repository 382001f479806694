package dev.stagesim.feature.suite;

import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.measure.BenchSettings.MissingDevice;
import dev.stagesim.measure.BenchSettings.Threads;
import dev.stagesim.measure.BenchSettings.Xla;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.TfWorkload;
import java.util.ArrayList;
import java.util.List;

/**
 * Execution plan of a suite workload: requested settings and substitutions, decided before anything runs.
 *
 * @param engine engine to use
 * @param isGpu true if steps run on the GPU
 * @param precision compute type, as the framework names it
 * @param isCompiled true if the training step is compiled as one function
 * @param interThreads number of operators in parallel
 * @param intraThreads number of threads per operator
 * @param substitutions differences from the workload, as sentences
 */
record FrameworkPlan(
        Engine engine,
        boolean isGpu,
        String precision,
        boolean isCompiled,
        int interThreads,
        int intraThreads,
        List<String> substitutions) {
    FrameworkPlan {
        substitutions = List.copyOf(substitutions);
    }

    /**
     * Creates the plan.
     *
     * @throws StageException (input) if a required device is missing or the engine is not installed
     */
    static FrameworkPlan of(TfWorkload workload, SuiteSettings suite, BenchSettings.Tf bench, EngineStore store) {
        return of(workload, suite, bench, store, VisibleGpus.any());
    }

    /** Creates the plan with or without a visible GPU. */
    static FrameworkPlan of(
            TfWorkload workload, SuiteSettings suite, BenchSettings.Tf bench, EngineStore store, boolean isVisible) {
        boolean wantsGpu = workload.runtime().device() == TfWorkload.Device.GPU;
        boolean isGpu = wantsGpu && isVisible;
        List<String> instead = new ArrayList<>();
        if (wantsGpu && !isGpu) {
            if (bench.onMissingDevice() == MissingDevice.FAIL) {
                throw StageException.input(Problem.config(
                                "workload.runtime.device", workload.label() + " needs a GPU; none is visible")
                        .hint("bench.on_missing_device=cpu runs it on the processor, recorded as a substitution"));
            }
            instead.add("device: the processor instead of a GPU");
        }
        Engine engine = Engines.find(isGpu ? "tf_gpu" : "tf");
        store.jars(engine);
        String precision = precision(workload, bench, isGpu, instead);
        boolean isCompiled = isCompiled(workload, suite, bench, instead);
        int inter = threads(workload.runtime().interThreads(), bench.threads());
        int intra = threads(workload.runtime().intraThreads(), bench.threads());
        if (inter != workload.runtime().interThreads()
                || intra != workload.runtime().intraThreads()) {
            instead.add("threads: " + inter + " x " + intra + " instead of "
                    + workload.runtime().interThreads() + " x "
                    + workload.runtime().intraThreads());
        }
        differing(workload, bench, precision, isGpu, isCompiled, instead);
        return new FrameworkPlan(engine, isGpu, precision, isCompiled, inter, intra, instead);
    }

    /** True if one CPU thread runs everything, so that operation times add up; a GPU runs asynchronously. */
    boolean isOneThread() {
        return !isGpu && interThreads == 1 && intraThreads == 1;
    }

    private static String precision(TfWorkload workload, BenchSettings.Tf bench, boolean isGpu, List<String> instead) {
        if (workload.train().precision() == TfWorkload.Precision.FP32) {
            return "FLOAT";
        }
        if (isGpu) {
            return "HALF";
        }
        boolean isBrain = bench.cpuPrecision() == BenchSettings.CpuPrecision.BFLOAT16;
        instead.add("precision: " + (isBrain ? "bfloat16" : "float32") + " instead of float16");
        return isBrain ? "BFLOAT16" : "FLOAT";
    }

    private static boolean isCompiled(
            TfWorkload workload, SuiteSettings suite, BenchSettings.Tf bench, List<String> instead) {
        boolean isWanted = workload.xla(suite);
        boolean isCompiled = bench.xla() == Xla.ON || (bench.xla() == Xla.SPEC && isWanted);
        if (isCompiled && isVarying(workload)) {
            instead.add("XLA: off instead of on, since sequences vary in length and the compiler has no LSTM");
            return false;
        }
        if (isWanted != isCompiled) {
            instead.add("XLA: " + (isCompiled ? "on instead of off" : "off instead of on"));
        }
        return isCompiled;
    }

    /** True if sequences are padded only to the longest one in their batch. */
    private static boolean isVarying(TfWorkload workload) {
        return workload.data().ops().stream().anyMatch(List.of("padded", "ragged_to_dense")::contains);
    }

    private static int threads(int wanted, Threads threads) {
        return switch (threads) {
            case SPEC -> wanted;
            case CAP -> Math.min(wanted, Runtime.getRuntime().availableProcessors());
            case ONE -> 1;
        };
    }

    /** Adds implementation differences between this runner and the original programs. */
    private static void differing(
            TfWorkload workload,
            BenchSettings.Tf bench,
            String precision,
            boolean isGpu,
            boolean isCompiled,
            List<String> instead) {
        instead.add("graph: the framework's rewriting is off, because its order differs from process to process");
        TfWorkload.Data data = workload.data();
        if (data.pipeline().prefetchToDevice() && !isGpu) {
            instead.add("input: batches are prefetched on the host, because there is no device");
        }
        if (!bench.defects()) {
            if (data.samples().elements().isPresent() && !data.pipeline().repeat()) {
                instead.add("input: the source restarts at its end; the original program runs out of data");
            } else if (data.samples().elements().isEmpty() && data.pipeline().cache()) {
                instead.add("input: an endless stream is not cached");
            }
        }
        if (workload.net().stream().anyMatch(line -> line.startsWith("lstm") || line.startsWith("bilstm"))) {
            if (isCompiled) {
                instead.add("LSTM: a loop over its steps, since the compiler has no kernel for it");
            } else if (precision.equals("BFLOAT16")) {
                instead.add("LSTM: its kernel computes in float32, since it does not support bfloat16");
            }
        }
        if (workload.net().stream().anyMatch(line -> line.startsWith("tcn"))) {
            instead.add("dilated convolution: a plain one between space-to-batch and batch-to-space");
        }
    }
}
