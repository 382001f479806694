package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.input.HostKernel;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.tensorflow.Graph;
import org.tensorflow.Session;
import org.tensorflow.TensorFlow;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.GraphOptions;
import org.tensorflow.proto.RewriterConfig;

/** Runs one workload: {@code FrameworkProcess JOB_FILE}. Results go to stdout, one JSON object per line. */
public final class FrameworkProcess {
    private static final int KIBIBYTE = 1024;

    private FrameworkProcess() {}

    /** Runs a job. Exits with 0, or with 1 after a line with the error. */
    public static void main(String[] args) throws Exception {
        Thread watch = new Thread(FrameworkProcess::endWithInput, "end-with-input");
        watch.setDaemon(true);
        watch.start();
        Lines lines =
                new Lines(new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8));
        try {
            Path file = Path.of(args[0]).toAbsolutePath();
            run(new Job(file), Objects.requireNonNull(file.getParent()), lines);
        } catch (Exception | LinkageError | OutOfMemoryError failure) {
            lines.write("event", "failed", "why", failure.toString());
            System.exit(1);
        }
        // Exit explicitly, because threads of the input pipeline continue to create batches.
        System.exit(0);
    }

    /** Exits when the parent process closes standard input. */
    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                // the parent writes no input
            }
        } catch (IOException gone) {
            // same as the end of the input
        }
        Runtime.getRuntime().halt(1);
    }

    private static void run(Job job, Path folder, Lines lines) throws Exception {
        long begin = System.nanoTime();
        HostKernel host = HostKernel.register();
        ConfigProto config = ConfigProto.newBuilder()
                .setInterOpParallelismThreads(job.whole("inter_threads"))
                .setIntraOpParallelismThreads(job.whole("intra_threads"))
                .setAllowSoftPlacement(true)
                // Disable graph rewriting: it depends on the node order, which differs between processes.
                .setGraphOptions(GraphOptions.newBuilder()
                        .setRewriteOptions(RewriterConfig.newBuilder().setDisableMetaOptimizer(true)))
                .build();
        if (job.flag("gpu")) {
            Device.check(job.text("label"));
        }
        Probe.check(config, lines);
        WorkloadGraph workload = new WorkloadGraph(job, folder);
        lines.write(
                "event",
                "built",
                "tensorflow",
                TensorFlow.version(),
                "parameters",
                workload.weights.parameters(),
                "build_ns",
                System.nanoTime() - begin,
                "java",
                System.getProperty("java.version"),
                "device",
                job.flag("gpu") ? Device.GPU : Device.CPU,
                "compiled",
                job.flag("compiled"));
        Probe.run(config, lines);
        try (Graph graph = workload.graph();
                Session session = new Session(graph, config)) {
            workload.weights.initialise(session);
            workload.pipeline.begin(session);
            Steps steps = new Steps(job, workload, host, session, config, lines);
            steps.train();
            steps.idle();
            steps.infer();
            lines.write(
                    "event",
                    "done",
                    "loss_sha256",
                    steps.lossHash(),
                    "peak_bytes",
                    peak(),
                    "host_calls",
                    host.calls.get(),
                    "host_ns",
                    host.nanos.get(),
                    "loss_scale",
                    steps.lossScale(),
                    "updates",
                    steps.updates(),
                    "finite",
                    steps.isFinite());
        }
    }

    /** Maximum resident memory of this process in bytes. */
    private static long peak() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBIBYTE;
                }
            }
        } catch (IOException noSuchSystem) {
            return 0;
        }
        return 0;
    }
}
