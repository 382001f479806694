package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Loops;
import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import dev.stagesim.engine.tf.input.InputPipeline;
import dev.stagesim.engine.tf.input.PipelineBatch;
import dev.stagesim.engine.tf.layer.LstmKernel;
import dev.stagesim.engine.tf.layer.Net;
import dev.stagesim.engine.tf.layer.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tensorflow.Graph;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.FunctionDefLibrary;
import org.tensorflow.proto.GraphDef;

/** A workload as a graph: input pipeline, training step, and forward passes with constant inputs. */
final class WorkloadGraph {
    private static final List<String> TOKENS = List.of("tokens", "record_tokens", "sentences");

    final Ops ops = new Ops();
    final WeightVariables weights;
    final InputPipeline pipeline;
    final Trainer trainer;
    final Output<?> seed;
    /** Forward passes outside training, with inputs and outputs. */
    final List<Forward> forwards = new ArrayList<>();
    /** Tensors fetched from a step: loss, whether gradients are finite, and the accuracy if the workload tracks it. */
    final List<String> fetched = new ArrayList<>();
    /** Additional operations of a step. */
    final List<String> targets = new ArrayList<>();

    Operation count;
    /** Echo of the fed seed. */
    Output<?> same;

    private final Job job;
    private final DataType type;
    private final PipelineBatch batch;

    /** A forward pass for one input shape. */
    record Forward(Output<?> input, int[] sizes, Output<?> logits) {}

    WorkloadGraph(Job job, Path folder) throws IOException {
        this.job = job;
        weights = new WeightVariables(ops, job.whole("seed"));
        pipeline = new InputPipeline(job, ops);
        batch = pipeline.build(folder);
        seed = ops.placeholder("seed", DataType.DT_INT32, 2);
        trainer = new Trainer(ops, job, weights);
        type = DataType.valueOf("DT_" + job.text("compute_type"));
        train();
        forwards();
        weights.prepare();
    }

    private void train() {
        Net net = new Net(ops, job, weights, type, true, batch.value, seed);
        net.sparse = batch.sparse;
        net.mask = batch.mask;
        trainer.build(net, net.build(), batch.labels);
        ops.scope("special");
        same = ops.op("Identity", seed);
        WeightVariables.Variable counter = weights.make("counter", false, new float[1], 1);
        count = ops.add(
                "AssignAddVariableOp",
                List.of(counter.handle, ops.values(new float[] {1}, 1)),
                "dtype",
                DataType.DT_FLOAT);
        for (String line : job.list("special")) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("side_while")) {
                Output<?> flat = ops.reshape(ops.cast(batch.value, DataType.DT_FLOAT), -1);
                Output<?> sum = ops.sum(flat, false, 0);
                trainer.step.add(Loops.raise(ops, sum, Integer.parseInt(words[1])));
            } else if (words[0].equals("ragged_unique")) {
                Output<?> unique = ops.op("Unique", LstmKernel.lengths(ops, batch.value));
                trainer.step.add(ops.add("TopKV2", List.of(unique, ops.op("Size", unique))));
            }
        }
    }

    /** Without varying sizes there is one shape: the input shape of the network. */
    private void forwards() {
        int[] sizes = job.wholes("input");
        List<int[]> all = new ArrayList<>();
        for (String line : job.list("special")) {
            if (line.startsWith("infer_lengths ")) {
                String[] words = line.split(" ", -1);
                for (int i = 1; i < words.length; i++) {
                    all.add(new int[] {Integer.parseInt(words[i]), sizes[1]});
                }
            }
        }
        if (all.isEmpty()) {
            all.add(sizes);
        }
        for (int i = 0; i < all.size(); i++) {
            forwards.add(forward(i, all.get(i)));
        }
    }

    private Forward forward(int number, int... sizes) {
        long[] shape = new long[sizes.length + 1];
        shape[0] = job.whole("batch");
        for (int i = 0; i < sizes.length; i++) {
            shape[i + 1] = sizes[i];
        }
        boolean isTokens = TOKENS.contains(job.text("source"));
        Output<?> input = ops.placeholder(
                String.format(Locale.ROOT, "infer/input_%d", number),
                isTokens ? DataType.DT_INT32 : DataType.DT_FLOAT,
                shape);
        Net net = new Net(ops, job, weights, type, false, input, seed);
        net.sizes = sizes;
        return new Forward(input, sizes, net.build());
    }

    /** True if operations run one at a time (eager mode). */
    boolean isEager() {
        return job.list("special").contains("eager") && !job.flag("compiled");
    }

    /** Tensors to fetch from a step. */
    List<Output<?>> wanted() {
        return trainer.results;
    }

    /** External inputs of a step: the batch and fed values. */
    private List<Output<?>> outside() {
        List<Output<?>> outside = new ArrayList<>(batch.raw);
        outside.addAll(List.of(seed, trainer.lossScale, trainer.betaPower1, trainer.betaPower2));
        return outside;
    }

    /** The batch as delivered by the pipeline. */
    List<Output<?>> batch() {
        return batch.raw;
    }

    /** The step and the forward passes as lists of operations for eager execution. */
    List<CompiledStep.Part> parts() {
        GraphDef made = SumOrder.of(ops.graph.toGraphDef());
        List<CompiledStep.Part> parts = new ArrayList<>();
        List<String> all = trainer.step.stream().map(Operation::name).toList();
        parts.add(CompiledStep.part(made, outside(), wanted(), all));
        for (Forward forward : forwards) {
            parts.add(CompiledStep.part(made, List.of(forward.input, seed), List.of(forward.logits), List.of()));
        }
        return parts;
    }

    /** The graph to run, with a compiled step if the job requests it. */
    Graph graph() {
        GraphDef made = SumOrder.of(ops.graph.toGraphDef());
        List<Output<?>> wanted = wanted();
        List<String> all = trainer.step.stream().map(Operation::name).toList();
        if (job.flag("compiled")) {
            made = CompiledStep.of(made, ops.library, outside(), wanted, all);
            fetched.addAll(CompiledStep.outputs(wanted.size()));
        } else {
            wanted.forEach(one -> fetched.add(Library.tensor(one)));
            targets.addAll(all);
        }
        Graph graph = new Graph();
        graph.importGraphDef(made.toBuilder()
                .setLibrary(FunctionDefLibrary.newBuilder().addAllFunction(ops.library.all()))
                .build());
        return graph;
    }
}
