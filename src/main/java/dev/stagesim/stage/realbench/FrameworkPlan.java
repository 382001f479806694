package dev.stagesim.stage.realbench;

import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.BenchSettings;
import dev.stagesim.settings.BenchSettings.MissingDevice;
import dev.stagesim.settings.BenchSettings.Threads;
import dev.stagesim.settings.BenchSettings.Xla;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.TfWorkload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What was asked for and what is done instead, decided before anything runs.
 *
 * @param engine engine to run on
 * @param isGpu whether steps run on the GPU
 * @param precision type that is computed with, as the framework names it
 * @param isCompiled whether operations are compiled
 * @param interThreads operators at once
 * @param intraThreads threads of one operator
 * @param substitutions what differs from the workload, as sentences
 */
record FrameworkPlan(
        Engine engine,
        boolean isGpu,
        String precision,
        boolean isCompiled,
        int interThreads,
        int intraThreads,
        List<String> substitutions) {
    private static final String CATEGORY = "config error";
    private static final Path GPU_NODE = Path.of("/dev/nvidia0");

    FrameworkPlan {
        substitutions = List.copyOf(substitutions);
    }

    /**
     * Decides.
     *
     * @throws StageException (input) when the workload needs a device that is not there, or an engine that is not installed
     */
    static FrameworkPlan of(TfWorkload workload, SuiteSettings suite, BenchSettings.Tf bench, EngineStore store) {
        boolean wantsGpu = workload.runtime().device() == TfWorkload.Device.GPU;
        boolean isGpu = wantsGpu && Files.exists(GPU_NODE);
        List<String> instead = new ArrayList<>();
        if (wantsGpu && !isGpu) {
            if (bench.onMissingDevice() == MissingDevice.FAIL) {
                throw StageException.input(Problem.of(
                                CATEGORY, "workload.runtime.device", workload.label() + " needs a GPU; none is visible")
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
        fixed(workload, suite, instead);
        return new FrameworkPlan(engine, isGpu, precision, isCompiled, inter, intra, instead);
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
        if (isWanted && !isCompiled) {
            instead.add("XLA: off instead of on");
        } else if (isCompiled) {
            instead.add("XLA: clusters of operations are compiled, not the step as one function");
        }
        return isCompiled;
    }

    private static int threads(int wanted, Threads threads) {
        return switch (threads) {
            case SPEC -> wanted;
            case CAP -> Math.min(wanted, Runtime.getRuntime().availableProcessors());
            case ONE -> 1;
        };
    }

    /** What this runner does in another way whatever the settings. */
    private static void fixed(TfWorkload workload, SuiteSettings suite, List<String> instead) {
        instead.add("input: the verbs run in the host's language, batch by batch, not in the framework's data graph");
        instead.add("graph: the framework's rewriting is off, because its order differs from process to process");
        if (workload.data().prefetchToDevice()) {
            instead.add("input: nothing is moved to the device ahead");
        }
        workload.host(suite).ifPresent(verb -> instead.add("input: " + verb + " is a host function outside the graph"));
        for (String line : workload.net()) {
            if (line.startsWith("lstm") || line.startsWith("bilstm")) {
                instead.add("LSTM: unrolled over its steps, not one kernel");
                break;
            }
        }
        if (workload.net().stream().anyMatch(line -> line.startsWith("tcn"))) {
            instead.add("dilated convolution: shifted copies times one matrix");
        }
        for (String line : workload.special()) {
            if (line.startsWith("side_while")) {
                instead.add("side_while: unrolled");
            } else if (line.startsWith("accumulate")) {
                instead.add("accumulate: the condition is decided outside the graph");
            } else if (line.startsWith("private_pool")) {
                instead.add("private_pool: no threads of its own");
            }
        }
        if (workload.data().ops().stream().anyMatch(line -> line.startsWith("length "))) {
            instead.add("lengths: steps beyond those of the network are cut, missing ones are 0");
        }
    }
}
