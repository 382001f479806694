package dev.stagesim.engine.tf;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.tensorflow.Graph;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.Tensor;
import org.tensorflow.TensorFlow;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.DeviceStepStats;
import org.tensorflow.proto.GraphOptions;
import org.tensorflow.proto.NodeExecStats;
import org.tensorflow.proto.RewriterConfig;
import org.tensorflow.proto.RunOptions;
import org.tensorflow.types.TBool;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;

/** Runs one workload: {@code Main JOB_FILE}; answers on stdout, one JSON object a line. */
public final class Main {
    private static final double LARGEST_SCALE = 65_536 * 65_536.0;
    private static final int GROWTH_STEPS = 2000;

    private final Job job;
    private final Lines lines;
    private final Ops ops = new Ops();
    private final Weights weights;
    private final Samples samples;
    private final int batch;
    private final Output<?> input;
    private final Output<?> labels;
    private final Output<?> seed;
    private final Output<?> inferInput;
    private final Trainer trainer;
    private final MessageDigest hash;
    private Operation count;
    private Output<?> logits;
    private double scale;
    private int good;
    private long position;
    private boolean isFinite = true;

    private Main(Job job, Lines lines) throws Exception {
        this.job = job;
        this.lines = lines;
        weights = new Weights(ops, job.whole("seed"));
        samples = new Samples(job);
        batch = job.whole("batch");
        int[] sizes = job.wholes("input");
        long[] shape = new long[sizes.length + 1];
        shape[0] = batch;
        for (int i = 0; i < sizes.length; i++) {
            shape[i + 1] = sizes[i];
        }
        input = ops.placeholder("input", DataType.DT_FLOAT, shape);
        inferInput = input;
        labels = isReconstruction()
                ? ops.placeholder("labels", DataType.DT_FLOAT, shape)
                : ops.placeholder("labels", DataType.DT_INT32, batch, perSample());
        seed = ops.placeholder("seed", DataType.DT_INT32, 2);
        trainer = new Trainer(ops, job, weights);
        hash = MessageDigest.getInstance("SHA-256");
        scale = job.flag("mixed") ? 32_768 : 1;
    }

    /** Runs a job; the process ends with 0, or with 1 after a line that says why. */
    public static void main(String[] args) throws Exception {
        Lines lines = new Lines(new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8));
        try {
            new Main(new Job(Path.of(args[0])), lines).run();
        } catch (Exception failure) {
            lines.write("event", "failed", "why", failure.toString());
            System.exit(1);
        }
    }

    private boolean isReconstruction() {
        return job.text("labels").equals("input");
    }

    private int perSample() {
        return job.text("labels").equals("random_per_token") ? job.wholes("input")[0] : 1;
    }

    private void run() throws Exception {
        long begin = System.nanoTime();
        DataType type = DataType.valueOf("DT_" + job.text("compute_type"));
        Net net = new Net(ops, job, weights, type, true, input, seed);
        Output<?> out = net.build();
        trainer.build(net, out, labels);
        Net infer = new Net(ops, job, weights, type, false, inferInput, seed);
        logits = infer.build();
        beside(net);
        weights.prepare();
        lines.write(
                "event", "built", "tensorflow", TensorFlow.version(), "parameters", weights.parameters(), "build_ns",
                System.nanoTime() - begin, "java", System.getProperty("java.version"));
        ConfigProto config = ConfigProto.newBuilder()
                .setInterOpParallelismThreads(job.whole("inter_threads"))
                .setIntraOpParallelismThreads(job.whole("intra_threads"))
                .setAllowSoftPlacement(true)
                // Its rewrites depend on the order of nodes, which differs from process to process.
                .setGraphOptions(GraphOptions.newBuilder()
                        .setRewriteOptions(RewriterConfig.newBuilder().setDisableMetaOptimizer(true)))
                .build();
        Probe.run(config, lines);
        try (Graph ordered = SumOrder.of(ops.graph);
                Session session = new Session(ordered, config)) {
            weights.initialise(session);
            train(session);
            infer(session);
        }
        lines.write(
                "event", "done", "loss_sha256", HexFormat.of().formatHex(hash.digest()), "peak_bytes", peak(),
                "host_calls", samples.hostCalls, "host_ns", samples.hostNanos, "loss_scale", scale, "finite", isFinite);
    }

    /** What a step does beside the layers, with results that nothing uses. */
    private void beside(Net net) {
        ops.scope("special");
        Weights.Variable counter = weights.make("counter", false, new float[1], 1);
        count = ops.add(
                "AssignAddVariableOp", List.of(counter.handle, ops.values(new float[] {1}, 1)), "dtype", DataType.DT_FLOAT);
        for (String line : job.list("special")) {
            String[] words = line.split(" ");
            if (words[0].equals("side_while")) {
                Output<?> sum = ops.sum(ops.reshape(input, -1), false, 0);
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    sum = ops.add(sum, ops.number(1));
                }
                trainer.step.add(sum.op());
            } else if (words[0].equals("ragged_unique")) {
                Output<?> any = ops.op("Max", List.of(ops.op("Abs", input), ops.ints(2)));
                Output<?> there = ops.cast(ops.op("Greater", any, ops.number(0)), DataType.DT_INT32);
                Output<?> lengths = ops.sum(there, false, 1);
                Output<?> unique = ops.op("Unique", lengths);
                Output<?> size = ops.op("Size", unique);
                trainer.step.add(ops.add("TopKV2", List.of(unique, size)));
            }
        }
    }

    private void train(Session session) {
        int warmup = job.whole("warmup");
        int steps = job.whole("steps");
        int traced = job.whole("trace_steps");
        int dropped = traced > 0 ? job.whole("trace_warmup") : 0;
        for (int step = 0; step < warmup + steps + dropped + traced; step++) {
            String phase = step < warmup ? "warmup" : step < warmup + steps ? "train" : "trace";
            boolean isDropped = phase.equals("trace") && step < warmup + steps + dropped;
            step(session, step, phase, phase.equals("trace"), isDropped);
        }
    }

    private void step(Session session, int step, String phase, boolean isTraced, boolean isDropped) {
        long begin = System.nanoTime();
        long callsBefore = samples.hostCalls;
        try (TFloat32 x = batch(position);
                Tensor y = labels(position, x);
                TInt32 at = TInt32.vectorOf(job.whole("seed"), step);
                TFloat32 one = TFloat32.scalarOf((float) scale);
                TFloat32 first = TFloat32.scalarOf((float) Math.pow(0.9, updates(step)));
                TFloat32 second = TFloat32.scalarOf((float) Math.pow(0.999, updates(step)))) {
            position += batch;
            long fed = System.nanoTime();
            if (job.text("callback").equals("begin")) {
                session.runner().addTarget(count.name()).run().close();
            }
            Session.Runner runner = session.runner()
                    .feed(input.op().name(), x)
                    .feed(labels.op().name(), y)
                    .feed(seed.op().name(), at)
                    .feed(trainer.lossScale.op().name(), one)
                    .feed(trainer.betaPower1.op().name(), first)
                    .feed(trainer.betaPower2.op().name(), second)
                    .fetch(trainer.loss.op().name(), trainer.loss.index())
                    .fetch(trainer.finite.op().name(), trainer.finite.index());
            if (trainer.accuracy != null) {
                runner.fetch(trainer.accuracy.op().name(), trainer.accuracy.index());
            }
            trainer.step.forEach(write -> runner.addTarget(write.name()));
            if (isTraced) {
                runner.setOptions(RunOptions.newBuilder()
                        .setTraceLevel(RunOptions.TraceLevel.SOFTWARE_TRACE)
                        .build());
            }
            long run = System.nanoTime();
            try (Result result = isTraced ? runner.runAndFetchMetadata() : runner.run()) {
                long done = System.nanoTime();
                float loss = ((TFloat32) result.get(0)).getFloat();
                boolean isGood = ((TBool) result.get(1)).getObject();
                double accuracy = trainer.accuracy == null ? Double.NaN : ((TFloat32) result.get(2)).getFloat();
                apply(session, step, first, second);
                if (job.text("callback").equals("end")) {
                    session.runner().addTarget(count.name()).run().close();
                }
                rescale(isGood);
                isFinite &= Float.isFinite(loss);
                hash.update(ByteBuffer.allocate(4).putFloat(loss).array());
                lines.write(
                        "event", "step", "step", step, "phase", phase, "wall_ns", done - run, "input_ns", fed - begin,
                        "loss", Float.toString(loss), "accuracy", Double.toString(accuracy), "samples", batch,
                        "host_calls", samples.hostCalls - callsBefore);
                if (isTraced && !isDropped) {
                    trace(step, result);
                }
            }
        }
    }

    private int gathered() {
        return trainer.apply.isEmpty()
                ? 1
                : job.list("special").stream()
                        .filter(line -> line.startsWith("accumulate "))
                        .mapToInt(line -> Integer.parseInt(line.split(" ")[1]))
                        .findFirst()
                        .orElse(1);
    }

    /** Which update of the weights a step belongs to, from 1. */
    private int updates(int step) {
        return step / gathered() + 1;
    }

    private void apply(Session session, int step, TFloat32 first, TFloat32 second) {
        if (!trainer.apply.isEmpty() && (step + 1) % gathered() == 0) {
            Session.Runner runner = session.runner()
                    .feed(trainer.betaPower1.op().name(), first)
                    .feed(trainer.betaPower2.op().name(), second);
            trainer.apply.forEach(one -> runner.addTarget(one.name()));
            runner.run().close();
        }
    }

    /** Halves the loss's scale when gradients were not finite, doubles it after many that were. */
    private void rescale(boolean isGood) {
        if (!job.flag("mixed")) {
            return;
        }
        good = isGood ? good + 1 : 0;
        if (!isGood) {
            scale = Math.max(1, scale / 2);
        } else if (good == GROWTH_STEPS) {
            scale = Math.min(LARGEST_SCALE, scale * 2);
            good = 0;
        }
    }

    private TFloat32 batch(long from) {
        int size = samples.size();
        float[] all = new float[batch * size];
        for (int i = 0; i < batch; i++) {
            System.arraycopy(samples.sample(from + i), 0, all, i * size, size);
        }
        return Ops.tensor(all, input.shape().asArray());
    }

    private Tensor labels(long from, TFloat32 x) {
        if (isReconstruction()) {
            return TFloat32.tensorOf(x);
        }
        int each = perSample();
        TInt32 tensor = TInt32.tensorOf(org.tensorflow.ndarray.Shape.of(batch, each));
        for (int i = 0; i < batch; i++) {
            int[] of = samples.labels(from + i, each);
            for (int j = 0; j < each; j++) {
                tensor.setInt(of[j], i, j);
            }
        }
        return tensor;
    }

    private void trace(int step, Result result) {
        result.getMetadata().ifPresent(metadata -> {
            for (DeviceStepStats device : metadata.getStepStats().getDevStatsList()) {
                for (NodeExecStats node : device.getNodeStatsList()) {
                    lines.write(
                            "event", "node", "step", step, "device", device.getDevice(), "node", node.getNodeName(),
                            "label", label(node), "start_ns", node.getAllStartNanos(), "begin_ns",
                            node.getOpStartRelNanos(), "end_ns", node.getOpEndRelNanos(), "all_ns",
                            node.getAllEndRelNanos(), "thread", node.getThreadId());
                }
            }
        });
    }

    private String label(NodeExecStats node) {
        Operation operation = ops.graph.operation(node.getNodeName());
        if (operation != null) {
            return operation.type();
        }
        // Made by the framework's optimizer: "[memory] name = Kind(inputs)".
        String said = node.getTimelineLabel().replaceAll("(?s).* = ([A-Za-z0-9_]+)\\(.*", "$1");
        return said.isEmpty() ? "made by the optimizer" : said;
    }

    private void infer(Session session) {
        List<Float> last = new ArrayList<>();
        try (TFloat32 x = batch(0);
                TInt32 at = TInt32.vectorOf(job.whole("seed"), 0)) {
            for (int i = 0; i < job.whole("infer_steps"); i++) {
                long begin = System.nanoTime();
                try (Result result = session.runner()
                        .feed(input.op().name(), x)
                        .feed(seed.op().name(), at)
                        .fetch(logits.op().name(), logits.index())
                        .run()) {
                    long done = System.nanoTime();
                    TFloat32 out = (TFloat32) result.get(0);
                    lines.write(
                            "event", "step", "step", i, "phase", "infer", "wall_ns", done - begin, "input_ns", 0L,
                            "loss", "", "accuracy", "NaN", "samples", batch, "host_calls", 0L);
                    if (i + 1 == job.whole("infer_steps")) {
                        out.scalars().forEach(value -> last.add(value.getFloat()));
                        lines.write("event", "logits", "shape", out.shape().toString(), "type", "float32");
                    }
                }
            }
        }
        double sum = 0;
        for (float value : last) {
            isFinite &= Float.isFinite(value);
            sum += value;
        }
        lines.write("event", "inference", "values", last.size(), "mean", last.isEmpty() ? 0 : sum / last.size());
    }

    /** Greatest resident memory of this process so far. */
    private static long peak() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
        } catch (java.io.IOException noSuchSystem) {
            return 0;
        }
        return 0;
    }
}
