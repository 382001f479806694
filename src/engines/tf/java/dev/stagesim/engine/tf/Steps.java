package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.input.HostKernel;
import dev.stagesim.engine.tf.input.HostVerbs;
import dev.stagesim.engine.tf.layer.Trainer;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.Tensor;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.DeviceStepStats;
import org.tensorflow.proto.NodeExecStats;
import org.tensorflow.proto.RunOptions;
import org.tensorflow.types.TBool;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;

/** Runs a workload's steps and reports their durations. */
final class Steps {
    private static final int IDLE_CALLS = 300;
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final String FIRST_SCALE = "32768";
    private static final String GROWTH = "2000";

    private final Job job;
    private final WorkloadGraph workload;
    private final HostKernel host;
    private final Session session;
    private final Lines lines;
    private final LossScale scale;
    private final MessageDigest hash;
    private final int gathered;
    private final List<CompiledStep.Part> parts;
    /** Null if the framework runs whole graphs. */
    private final @Nullable Eager eager;

    private boolean isFinite = true;

    /**
     * Prepares the steps of a workload.
     *
     * @param config configuration of the additional session that runs single operations
     */
    Steps(Job job, WorkloadGraph workload, HostKernel host, Session session, ConfigProto config, Lines lines)
            throws NoSuchAlgorithmException {
        this.job = job;
        this.workload = workload;
        this.host = host;
        this.session = session;
        this.lines = lines;
        scale = new LossScale(
                job.flag("mixed"),
                Double.parseDouble(job.text("loss_scale", FIRST_SCALE)),
                Integer.parseInt(job.text("loss_scale_growth", GROWTH)));
        hash = MessageDigest.getInstance("SHA-256");
        gathered = Trainer.gathered(job);
        parts = workload.isEager() ? workload.parts() : List.of();
        eager = workload.isEager() ? new Eager(config, workload.ops.library, workload.weights, parts) : null;
    }

    String lossHash() {
        return HexFormat.of().formatHex(hash.digest());
    }

    double lossScale() {
        return scale.scale();
    }

    long updates() {
        return scale.updates();
    }

    boolean isFinite() {
        return isFinite;
    }

    void train() {
        int warmup = job.whole("warmup");
        int steps = job.whole("steps");
        int traced = job.whole("trace_steps");
        int dropped = traced > 0 ? job.whole("trace_warmup") : 0;
        boolean isOneThread = job.whole("inter_threads") == 1 && job.whole("intra_threads") == 1;
        int at = 0;
        for (int step = 0; step < warmup + steps + dropped + traced; step++) {
            boolean isTraced = step >= warmup + steps;
            String phase = step < warmup ? "warmup" : isTraced ? "trace" : "train";
            step(at++, phase, isTraced, isTraced && step < warmup + steps + dropped);
            if (isTraced && isOneThread) {
                // Run an untraced step next to the traced one, so that both see the same machine load.
                step(at++, "plain", false, false);
            }
        }
    }

    /** Minimum duration of a framework call without computation, which returns its input value. */
    void idle() {
        long minNs = Long.MAX_VALUE;
        try (TInt32 at = TInt32.vectorOf(job.whole("seed"), 0)) {
            for (int i = 0; i < IDLE_CALLS; i++) {
                long begin = System.nanoTime();
                session.runner()
                        .feed(workload.seed.op().name(), at)
                        .fetch(workload.same.op().name(), workload.same.index())
                        .run()
                        .close();
                minNs = Math.min(minNs, System.nanoTime() - begin);
            }
        }
        lines.write("event", "session", "ns", minNs);
    }

    private void step(int step, String phase, boolean isTraced, boolean isDropped) {
        long callsBefore = host.calls.get();
        long begin = System.nanoTime();
        run(Objects.requireNonNull(workload.pipeline.next));
        long fed = System.nanoTime();
        if (job.text("callback").equals("begin")) {
            run(workload.count);
        }
        double update = scale.updates() + 1;
        try (TInt32 at = TInt32.vectorOf(job.whole("seed"), step);
                TFloat32 factor = TFloat32.scalarOf((float) scale.scale());
                TFloat32 first = TFloat32.scalarOf((float) Math.pow(BETA1, update));
                TFloat32 second = TFloat32.scalarOf((float) Math.pow(BETA2, update))) {
            Map<Output<?>, Tensor> values = new LinkedHashMap<>();
            values.put(workload.seed, at);
            values.put(workload.trainer.lossScale, factor);
            values.put(workload.trainer.betaPower1, first);
            values.put(workload.trainer.betaPower2, second);
            long input = fed - begin;
            StepInfo info = new StepInfo(step, phase, input, callsBefore, isTraced && !isDropped);
            if (eager == null) {
                graphStep(info, values, isTraced);
            } else {
                eagerStep(eager, info, values);
            }
        }
    }

    /** Properties of a step that are fixed before it runs. */
    private record StepInfo(int step, String phase, long inputNs, long callsBefore, boolean isKept) {}

    private void graphStep(StepInfo info, Map<Output<?>, Tensor> fed, boolean isTraced) {
        Session.Runner runner = session.runner();
        fed.forEach((output, tensor) -> runner.feed(output.op().name(), tensor));
        workload.fetched.forEach(runner::fetch);
        workload.targets.forEach(runner::addTarget);
        if (isTraced) {
            runner.setOptions(RunOptions.newBuilder()
                    .setTraceLevel(RunOptions.TraceLevel.SOFTWARE_TRACE)
                    .build());
        }
        Instant called = Instant.now();
        long run = System.nanoTime();
        try (Result result = isTraced ? runner.runAndFetchMetadata() : runner.run()) {
            long done = System.nanoTime();
            List<Tensor> results = new ArrayList<>();
            for (int i = 0; i < result.size(); i++) {
                results.add(result.get(i));
            }
            report(info, results, done - run);
            if (info.isKept) {
                called(info.step, called);
                trace(info.step, result);
            }
        }
    }

    private void eagerStep(Eager eager, StepInfo info, Map<Output<?>, Tensor> values) {
        Map<String, Tensor> fed = new LinkedHashMap<>();
        values.forEach((output, tensor) -> fed.put(Library.tensor(output), tensor));
        Session.Runner runner = session.runner();
        workload.batch().forEach(output -> runner.fetch(Library.tensor(output)));
        try (Result batch = runner.run()) {
            for (int i = 0; i < workload.batch().size(); i++) {
                fed.put(Library.tensor(workload.batch().get(i)), batch.get(i));
            }
            Instant called = Instant.now();
            long epoch = ChronoUnit.NANOS.between(Instant.EPOCH, called);
            long run = System.nanoTime();
            List<Object[]> ran = new ArrayList<>();
            List<Tensor> results = eager.run(parts.get(0), fed, workload.wanted(), (node, begin, end) -> {
                if (info.isKept) {
                    ran.add(new Object[] {
                        "event",
                        "node",
                        "step",
                        info.step,
                        "device",
                        "eager",
                        "node",
                        node.getName(),
                        "label",
                        node.getOp(),
                        "start_ns",
                        epoch + begin - run,
                        "begin_ns",
                        0L,
                        "end_ns",
                        end - begin,
                        "all_ns",
                        end - begin,
                        "thread",
                        0
                    });
                }
            });
            long done = System.nanoTime();
            report(info, results, done - run);
            if (info.isKept) {
                called(info.step, called);
                ran.forEach(lines::write);
            }
        }
    }

    private void called(int step, Instant called) {
        lines.write("event", "call", "step", step, "epoch_ns", ChronoUnit.NANOS.between(Instant.EPOCH, called));
    }

    private void run(Operation operation) {
        session.runner().addTarget(operation.name()).run().close();
    }

    private void report(StepInfo info, List<Tensor> result, long wallNs) {
        if (job.text("callback").equals("end")) {
            run(workload.count);
        }
        long calls = host.calls.get() - info.callsBefore;
        float loss = ((TFloat32) result.get(0)).getFloat();
        boolean isGood = ((TBool) result.get(1)).getObject();
        double accuracy = result.size() < 3 ? Double.NaN : ((TFloat32) result.get(2)).getFloat();
        double used = scale.scale();
        scale.take(isGood, (info.step + 1) % gathered == 0);
        isFinite &= Float.isFinite(loss);
        hash.update(ByteBuffer.allocate(Float.BYTES).putFloat(loss).array());
        lines.write(
                "event",
                "step",
                "step",
                info.step,
                "phase",
                info.phase,
                "wall_ns",
                wallNs,
                "input_ns",
                info.inputNs,
                "loss",
                Float.toString(loss),
                "accuracy",
                Double.toString(accuracy),
                "samples",
                job.whole("batch"),
                "host_calls",
                calls,
                "loss_scale",
                used,
                "finite",
                isGood);
    }

    private void trace(int step, Result result) {
        result.getMetadata().ifPresent(metadata -> {
            for (DeviceStepStats device : metadata.getStepStats().getDevStatsList()) {
                for (NodeExecStats node : device.getNodeStatsList()) {
                    lines.write(
                            "event",
                            "node",
                            "step",
                            step,
                            "device",
                            device.getDevice(),
                            "node",
                            node.getNodeName(),
                            "label",
                            label(node),
                            "start_ns",
                            node.getAllStartNanos(),
                            "begin_ns",
                            node.getOpStartRelNanos(),
                            "end_ns",
                            node.getOpEndRelNanos(),
                            "all_ns",
                            node.getAllEndRelNanos(),
                            "thread",
                            node.getThreadId());
                }
            }
        });
    }

    private String label(NodeExecStats node) {
        if (node.getNodeName().equals(CompiledStep.CALL)) {
            return "compiled step";
        }
        Operation operation = workload.ops.graph.operation(node.getNodeName());
        if (operation != null) {
            return operation.type();
        }
        // Nodes of branches and loops have the label "name = Kind(inputs)".
        String kind = node.getTimelineLabel().replaceAll("(?s).* = ([A-Za-z0-9_]+)\\(.*", "$1");
        return kind.isEmpty() ? "inside a function" : kind;
    }

    /** Runs forward passes on constant inputs; the input shapes alternate. */
    void infer() {
        int count = workload.forwards.size();
        for (int i = 0; i < job.whole("infer_steps"); i++) {
            WorkloadGraph.Forward forward = workload.forwards.get(i % count);
            boolean isLast = i + count >= job.whole("infer_steps");
            try (Tensor x = fixed(forward);
                    TInt32 at = TInt32.vectorOf(job.whole("seed"), 0)) {
                if (eager == null) {
                    graphPass(i, forward, x, at, isLast);
                } else {
                    eagerPass(eager, i, forward, x, at, isLast);
                }
            }
        }
    }

    private void graphPass(int step, WorkloadGraph.Forward forward, Tensor x, Tensor at, boolean isLast) {
        long begin = System.nanoTime();
        try (Result result = session.runner()
                .feed(forward.input().op().name(), x)
                .feed(workload.seed.op().name(), at)
                .fetch(forward.logits().op().name(), forward.logits().index())
                .run()) {
            passed(step, System.nanoTime() - begin, (TFloat32) result.get(0), isLast);
        }
    }

    private void eagerPass(Eager eager, int step, WorkloadGraph.Forward forward, Tensor x, Tensor at, boolean isLast) {
        Map<String, Tensor> fed = Map.of(Library.tensor(forward.input()), x, Library.tensor(workload.seed), at);
        long begin = System.nanoTime();
        CompiledStep.Part part = parts.get(1 + workload.forwards.indexOf(forward));
        List<Tensor> results = eager.run(part, fed, List.of(forward.logits()), (node, from, to) -> {});
        passed(step, System.nanoTime() - begin, (TFloat32) results.get(0), isLast);
    }

    private void passed(int step, long wallNs, TFloat32 logits, boolean isLast) {
        lines.write(
                "event",
                "step",
                "step",
                step,
                "phase",
                "infer",
                "wall_ns",
                wallNs,
                "input_ns",
                0L,
                "loss",
                "",
                "accuracy",
                "NaN",
                "samples",
                job.whole("batch"),
                "host_calls",
                0L);
        if (isLast) {
            shown(logits);
        }
    }

    private Tensor fixed(WorkloadGraph.Forward forward) {
        SplittableRandom random = new SplittableRandom(job.whole("seed"));
        Shape shape = forward.input().shape();
        int size = (int) shape.size();
        if (forward.input().dataType() == DataType.DT_INT32) {
            int[] all = new int[size];
            for (int i = 0; i < size; i++) {
                all[i] = random.nextInt(job.whole("vocabulary"));
            }
            return TInt32.tensorOf(shape, DataBuffers.of(all));
        }
        float[] all = new float[size];
        boolean isNormal = !job.text("source").equals("uniform");
        for (int i = 0; i < size; i++) {
            all[i] = (float) (isNormal ? HostVerbs.gaussian(random) : random.nextDouble());
        }
        return TFloat32.tensorOf(shape, DataBuffers.of(all));
    }

    private void shown(TFloat32 logits) {
        double sum = 0;
        long count = 0;
        for (var value : logits.scalars()) {
            isFinite &= Float.isFinite(value.getFloat());
            sum += value.getFloat();
            count++;
        }
        lines.write("event", "logits", "shape", logits.shape().toString(), "type", "float32");
        lines.write("event", "inference", "values", count, "mean", count == 0 ? 0 : sum / count);
    }
}
