package dev.stagesim.feature.suite;

import dev.stagesim.bench.engine.EngineProgram;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Scratch;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a workload of the profiling suite in separate processes and stores their results. */
final class FrameworkBench {
    private static final String MAIN = "dev.stagesim.engine.tf.FrameworkProcess";
    private static final int TRACE_WARMUP = 3;

    private final RealBenchSettings settings;
    private final BenchSettings.Tf bench;
    private final StageContext context;

    FrameworkBench(RealBenchSettings settings, BenchSettings.Tf bench, StageContext context) {
        this.settings = settings;
        this.bench = bench;
        this.context = context;
    }

    /** Returns the array description: the configured path, or one below the product's home directory. */
    static Path array(BenchSettings.Tf bench, Path home) {
        return ShippedFiles.file(bench.array(), home);
    }

    static void check(RealBenchSettings settings, BenchSettings.Tf bench, Path home) {
        plan(settings, bench, EngineStore.of(home));
    }

    private static FrameworkPlan plan(RealBenchSettings settings, BenchSettings.Tf bench, EngineStore store) {
        if (!(settings.workload() instanceof TfWorkload workload)) {
            throw StageException.input(
                    Problem.config("workload.kind", "bench=tf runs workloads of the profiling suite only")
                            .hint("workload=tf/mlp_a"));
        }
        return FrameworkPlan.of(workload, settings.suite(), bench, store);
    }

    void run() throws IOException {
        EngineStore store = EngineStore.of(context.home());
        FrameworkPlan plan = plan(settings, bench, store);
        plan.substitutions().forEach(one -> context.warn("differs from the workload: " + one));
        List<Path> jars = store.jars(plan.engine());
        Path engine = store.installed(plan.engine()).orElseThrow();
        Path runner = EngineProgram.jar(jars, context.home(), "tf", engine.resolve("runner"));
        Path cache = Files.createDirectories(engine.resolve("cache")).toAbsolutePath();
        List<FrameworkRun> runs = new ArrayList<>();
        EngineProcess child = new EngineProcess(
                Stream.concat(Stream.of(runner), jars.stream()).toList(),
                MAIN,
                List.of("-XX:+UseSerialGC", "-Dorg.bytedeco.javacpp.cachedir=" + cache, "-Djna.tmpdir=" + cache),
                environment(plan),
                bench.timeoutS());
        try (Scratch scratch = Scratch.in(context.out())) {
            Path job = Files.writeString(scratch.dir().resolve("job.properties"), job(plan), StandardCharsets.UTF_8);
            for (int process = 0; process < bench.processes(); process++) {
                context.progress("processes", process, bench.processes());
                FrameworkRun run = new FrameworkRun();
                child.run(job, scratch.dir().resolve("log.txt"), run::take);
                runs.add(run);
            }
        }
        TfWorkload workload = (TfWorkload) settings.workload();
        FrameworkVerdict.check(workload, context.input("workload"), runs).forEach(context::checkFailed);
        new FrameworkFiles(workload, settings.suite(), bench, plan, runs, context).write();
    }

    /** CPU workloads hide the GPUs; the framework logs only warnings and errors. */
    private static Map<String, String> environment(FrameworkPlan plan) {
        Map<String, String> environment = new TreeMap<>();
        environment.put("TF_CPP_MIN_LOG_LEVEL", "1");
        if (!plan.isGpu()) {
            environment.put("CUDA_VISIBLE_DEVICES", "-1");
        }
        if (!plan.isCompiled()) {
            // Without this, the compiler rejects the gradient of max pooling.
            environment.put("TF_DETERMINISTIC_OPS", "1");
        }
        return environment;
    }

    private String job(FrameworkPlan plan) throws IOException {
        Map<String, String> lines = new TreeMap<>();
        Path template = context.input("workload").file("job.properties");
        for (String line : InputFile.text(template).lines().toList()) {
            int at = line.indexOf('=');
            lines.put(line.substring(0, at), line.substring(at + 1));
        }
        TfWorkload.Train train = ((TfWorkload) settings.workload()).train();
        int steps = bench.counts().fullLength()
                ? Math.multiplyExact(train.epochs(), train.stepsPerEpoch())
                : bench.counts().steps();
        lines.put("steps", Integer.toString(steps));
        lines.put("warmup", Integer.toString(bench.counts().warmup()));
        lines.put("trace_steps", Integer.toString(bench.counts().traceSteps()));
        lines.put("trace_warmup", Integer.toString(TRACE_WARMUP));
        lines.put("infer_steps", Integer.toString(bench.counts().inferSteps()));
        lines.put("compiled", Boolean.toString(plan.isCompiled()));
        lines.put("gpu", Boolean.toString(plan.isGpu()));
        lines.put("defects", Boolean.toString(bench.defects()));
        lines.put("compute_type", plan.precision().toUpperCase(Locale.ROOT));
        lines.put("inter_threads", Integer.toString(plan.interThreads()));
        lines.put("intra_threads", Integer.toString(plan.intraThreads()));
        return lines.entrySet().stream()
                .map(line -> line.getKey() + "=" + line.getValue() + "\n")
                .collect(Collectors.joining());
    }
}
