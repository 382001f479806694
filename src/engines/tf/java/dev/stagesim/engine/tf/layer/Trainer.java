package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;

/** Loss, gradients per layer, and weight updates. */
public final class Trainer {
    private final Ops ops;
    private final Job job;
    private final WeightVariables weights;
    public final Output<?> lossScale;
    public final Output<?> betaPower1;
    public final Output<?> betaPower2;
    /** Loss, the check that gradients are finite and, if recorded, the accuracy. */
    public final List<Output<?>> results = new ArrayList<>();

    /** Operations of a step. */
    public final List<Operation> step = new ArrayList<>();

    private final List<Gathered> gatheredInto = new ArrayList<>();

    public Trainer(Ops ops, Job job, WeightVariables weights) {
        this.ops = ops;
        this.job = job;
        this.weights = weights;
        lossScale = ops.placeholder("loss_scale", DataType.DT_FLOAT);
        betaPower1 = ops.placeholder("beta1_power", DataType.DT_FLOAT);
        betaPower2 = ops.placeholder("beta2_power", DataType.DT_FLOAT);
    }

    public void build(Net net, Output<?> logits, Output<?> labels) {
        Output<?> loss = loss(net, logits, labels);
        Output<?> scaled = ops.mul(loss, lossScale);
        Map<Output<?>, Output<?>> gradients = backwards(net, logits, scaled);
        Output<?> finite = update(net, gradients, loss);
        results.addAll(0, List.of(loss, finite));
    }

    private Output<?> loss(Net net, Output<?> logits, Output<?> labels) {
        ops.scope("loss");
        String kind = job.text("loss");
        if (kind.equals("mse") || kind.equals("mae")) {
            Output<?> difference = ops.sub(logits, ops.reshape(labels, shape(net)));
            Output<?> cost = ops.op(kind.equals("mse") ? "Square" : "Abs", difference);
            return ops.mean(ops.reshape(cost, -1), false, 0);
        }
        int classes = net.last();
        Output<?> rows = ops.reshape(logits, -1, classes);
        Output<?> flat = ops.reshape(ops.cast(labels, DataType.DT_INT32), -1);
        Output<?> hot = ops.op("OneHot", List.of(flat, ops.whole(classes), ops.number(1), ops.number(0)));
        Output<?> cost = ops.sum(ops.mul(hot, ops.op("LogSoftmax", rows)), false, 1);
        if (job.flag("accuracy")) {
            Output<?> best = ops.op("ArgMax", List.of(rows, ops.whole(1)), "output_type", DataType.DT_INT32);
            results.add(ops.mean(ops.cast(ops.op("Equal", best, flat), DataType.DT_FLOAT), false, 0));
        }
        return ops.op("Neg", ops.mean(cost, false, 0));
    }

    private static int[] shape(Net net) {
        int[] all = new int[net.sizes.length + 1];
        all[0] = net.batch;
        System.arraycopy(net.sizes, 0, all, 1, net.sizes.length);
        return all;
    }

    /**
     * Computes gradients with one framework call per layer, so that the names of the gradient operations contain the
     * layer's name.
     */
    private Map<Output<?>, Output<?>> backwards(Net net, Output<?> logits, Output<?> scaled) {
        Map<Output<?>, Output<?>> gradients = new LinkedHashMap<>();
        Output<?>[] first =
                ops.graph.addGradients("backward/loss", new Output<?>[] {scaled}, new Output<?>[] {logits}, null);
        gradients.put(logits, first[0]);
        Output<?> top = net.layers.get(net.layers.size() - 1).output;
        if (!top.equals(logits)) {
            ops.scope("backward/loss/more");
            gradients.put(top, ops.cast(first[0], top.dataType()));
        }
        for (int i = net.layers.size() - 1; i >= 0; i--) {
            backward(net, net.layers.get(i), i, gradients);
        }
        return gradients;
    }

    private void backward(Net net, GradientLayer layer, int index, Map<Output<?>, Output<?>> gradients) {
        Output<?> gradient = gradients.get(layer.output);
        if (gradient == null || layer.output.equals(layer.inputs.get(0))) {
            return;
        }
        List<Output<?>> wanted =
                new ArrayList<>(layer.trained.stream().distinct().toList());
        boolean isFirst = net.layers.subList(0, index).stream().allMatch(one -> one.trained.isEmpty());
        if (!isFirst) {
            wanted.addAll(layer.inputs.stream().distinct().toList());
        }
        if (wanted.isEmpty()) {
            return;
        }
        ops.scope("backward/" + layer.name + "/more");
        List<Output<?>> made = layer.backward == null
                ? List.of(ops.graph.addGradients(
                        "backward/" + layer.name,
                        new Output<?>[] {layer.output},
                        wanted.toArray(new Output<?>[0]),
                        new Output<?>[] {gradient}))
                : layer.backward.of(gradient);
        for (int i = 0; i < Math.min(made.size(), wanted.size()); i++) {
            Output<?> one = made.get(i);
            gradients.merge(wanted.get(i), one, ops::add);
        }
    }

    /**
     * Adds the updates of all weights, and returns the check that gradients are finite. Every update waits for all gradients, so
     * that no value is read after its update.
     */
    private Output<?> update(Net net, Map<Output<?>, Output<?>> gradients, Output<?> loss) {
        List<Output<?>> trained = net.layers.stream()
                .flatMap(layer -> layer.trained.stream())
                .distinct()
                .toList();
        List<WeightVariables.Variable> variables =
                weights.all().stream().filter(one -> one.isTrained).toList();
        List<Output<?>> grads = new ArrayList<>();
        ops.scope("update");
        for (Output<?> weight : trained) {
            Output<?> gradient = gradients.get(weight);
            if (gradient == null) {
                throw new IllegalStateException("no gradient of " + weight);
            }
            grads.add(isMixed() ? ops.op("RealDiv", gradient, lossScale) : gradient);
        }
        Output<?> finite = isMixed() ? finite(grads) : ops.op("IsFinite", loss);
        List<Operation> all = new ArrayList<>();
        grads.forEach(one -> all.add(one.op()));
        all.add(finite.op());
        ops.after(all);
        Optimizer optimizer = new Optimizer(job, weights, isMixed() ? finite : null);
        int gathered = gathered();
        for (int i = 0; i < variables.size(); i++) {
            ops.scope("update/" + variables.get(i).name);
            if (gathered > 1) {
                gather(optimizer, variables.get(i), grads.get(i));
            } else {
                step.addAll(optimizer.write(
                        ops, optimizer.slots(variables.get(i)), trained.get(i), grads.get(i), betaPower1, betaPower2));
            }
        }
        if (gathered > 1) {
            ops.after(step);
            step.add(applied(optimizer, gathered));
        }
        ops.after(List.of());
        step.addAll(net.updates);
        step.addAll(net.aside);
        return finite;
    }

    private boolean isMixed() {
        return job.flag("mixed");
    }

    /** Number of steps with accumulated gradients before the weights change. */
    public static int gathered(Job job) {
        return job.list("special").stream()
                .filter(line -> line.startsWith("accumulate "))
                .mapToInt(line -> Integer.parseInt(line.split(" ", -1)[1]))
                .findFirst()
                .orElse(1);
    }

    private int gathered() {
        return gathered(job);
    }

    private Output<?> finite(List<Output<?>> grads) {
        List<Output<?>> each = new ArrayList<>();
        for (Output<?> gradient : grads) {
            Output<?> flat = ops.reshape(gradient, -1);
            each.add(ops.op("All", ops.op("IsFinite", flat), ops.ints(0)));
        }
        return ops.op("All", ops.op("Pack", List.of(each)), ops.ints(0));
    }

    /** Adds a gradient to its accumulator. */
    private void gather(Optimizer optimizer, WeightVariables.Variable variable, Output<?> gradient) {
        WeightVariables.Variable sum =
                weights.make(variable.name, false, new float[variable.first.length], variable.shape);
        Optimizer.Slots slots = optimizer.slots(variable);
        gatheredInto.add(new Gathered(variable, slots, sum));
        Output<?> clean = optimizer.clean(ops, gradient);
        step.add(ops.add("AssignAddVariableOp", List.of(sum.handle, clean), "dtype", DataType.DT_FLOAT));
    }

    private record Gathered(WeightVariables.Variable variable, Optimizer.Slots slots, WeightVariables.Variable sum) {}

    /**
     * Applies the mean of the accumulated gradients and clears them, once per {@code steps} steps, in a branch of the
     * graph.
     */
    private Operation applied(Optimizer optimizer, int steps) {
        ops.scope("update");
        WeightVariables.Variable counter = weights.make("gathered", false, new float[1]);
        Operation raise =
                ops.add("AssignAddVariableOp", List.of(counter.handle, ops.number(1)), "dtype", DataType.DT_FLOAT);
        ops.after(List.of(raise));
        Output<?> rest = ops.op("FloorMod", weights.read(counter), ops.number(steps));
        Output<?> isDue = ops.op("Equal", rest, ops.number(0));
        List<Output<?>> given = new ArrayList<>(List.of(betaPower1, betaPower2));
        for (Gathered one : gatheredInto) {
            given.addAll(one.slots.handles());
            given.add(one.sum.handle);
        }
        List<DataType> types = given.stream().map(Output::dataType).toList();
        List<Shape> shapes = given.stream().map(one -> Shape.scalar()).toList();
        AttrValue apply = ops.library.define("apply", types, shapes, (inner, of) -> apply(optimizer, inner, of, steps));
        AttrValue wait = ops.library.define("wait", types, shapes, (inner, of) -> List.of(inner.number(0)));
        return ops.add(
                "If",
                List.of(isDue, given),
                "then_branch",
                apply,
                "else_branch",
                wait,
                "Tout",
                Library.types(List.of(DataType.DT_FLOAT)));
    }

    private List<Output<?>> apply(Optimizer optimizer, Ops inner, List<Output<?>> of, int steps) {
        int at = 2;
        for (Gathered one : gatheredInto) {
            inner.scope("update/" + one.variable.name);
            int count = one.slots.handles().size();
            Optimizer.Slots slots = one.slots.as(of.subList(at, at + count));
            Output<?> sum = of.get(at + count);
            at += count + 1;
            Output<?> read = inner.op("ReadVariableOp", List.of(sum), "dtype", DataType.DT_FLOAT);
            Output<?> mean = inner.mul(read, inner.number(1.0 / steps));
            Output<?> value = inner.op("ReadVariableOp", List.of(slots.handles().get(0)), "dtype", DataType.DT_FLOAT);
            inner.after(optimizer.write(inner, slots, value, mean, of.get(0), of.get(1)));
            Output<?> zero = inner.op("ZerosLike", read);
            inner.require(inner.add("AssignVariableOp", List.of(sum, zero), "dtype", DataType.DT_FLOAT));
            inner.after(List.of());
        }
        return List.of(inner.number(1));
    }
}
