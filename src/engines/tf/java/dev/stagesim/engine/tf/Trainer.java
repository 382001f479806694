package dev.stagesim.engine.tf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** Loss, gradients layer by layer, and the optimizer's writes. */
final class Trainer {
    private static final double DECAY = 0.004;
    private static final double RHO = 0.9;

    private final Ops ops;
    private final Job job;
    private final Weights weights;
    final Output<?> lossScale;
    final Output<?> betaPower1;
    final Output<?> betaPower2;
    Output<?> finite;
    Output<?> loss;
    Output<?> accuracy;
    /** What a step runs: gradients and, unless they are gathered, new weights. */
    final List<Operation> step = new ArrayList<>();
    /** What the last of some gathered steps runs. */
    final List<Operation> apply = new ArrayList<>();

    Trainer(Ops ops, Job job, Weights weights) {
        this.ops = ops;
        this.job = job;
        this.weights = weights;
        lossScale = ops.placeholder("loss_scale", DataType.DT_FLOAT);
        betaPower1 = ops.placeholder("beta1_power", DataType.DT_FLOAT);
        betaPower2 = ops.placeholder("beta2_power", DataType.DT_FLOAT);
    }

    void build(Net net, Output<?> logits, Output<?> labels) {
        loss = loss(net, logits, labels);
        Output<?> scaled = ops.mul(loss, lossScale);
        Map<Output<?>, Output<?>> gradients = backwards(net, logits, scaled);
        update(net, gradients);
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
        Output<?> hot =
                ops.op("OneHot", List.of(flat, ops.whole(classes), ops.number(1), ops.number(0)));
        Output<?> cost = ops.sum(ops.mul(hot, ops.op("LogSoftmax", rows)), false, 1);
        if (job.flag("accuracy")) {
            Output<?> best = ops.op("ArgMax", List.of(rows, ops.whole(1)), "output_type", DataType.DT_INT32);
            accuracy = ops.mean(ops.cast(ops.op("Equal", best, flat), DataType.DT_FLOAT), false, 0);
        }
        return ops.op("Neg", ops.mean(cost, false, 0));
    }

    private static int[] shape(Net net) {
        int[] all = new int[net.sizes.length + 1];
        all[0] = net.batch;
        System.arraycopy(net.sizes, 0, all, 1, net.sizes.length);
        return all;
    }

    /** One call of the framework for each layer, so that the operations of its gradients bear its name. */
    private Map<Output<?>, Output<?>> backwards(Net net, Output<?> logits, Output<?> scaled) {
        Map<Output<?>, Output<?>> gradients = new LinkedHashMap<>();
        Output<?>[] first = ops.graph.addGradients(
                "backward/loss", new Output<?>[] {scaled}, new Output<?>[] {logits}, null);
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

    private void backward(Net net, Layer layer, int index, Map<Output<?>, Output<?>> gradients) {
        Output<?> gradient = gradients.get(layer.output);
        if (gradient == null || layer.output.equals(layer.inputs.get(0))) {
            return;
        }
        List<Output<?>> wanted = new ArrayList<>(layer.trained.stream().distinct().toList());
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

    /** Every write waits for all gradients: nothing is read after it was written. */
    private void update(Net net, Map<Output<?>, Output<?>> gradients) {
        List<Output<?>> trained = net.layers.stream()
                .flatMap(layer -> layer.trained.stream())
                .distinct()
                .toList();
        List<Weights.Variable> variables =
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
        finite = isMixed() ? finite(grads) : ops.op("IsFinite", loss);
        List<Operation> all = new ArrayList<>(grads.stream().map(one -> (Operation) one.op()).toList());
        all.add(finite.op());
        ops.after(all);
        int gathered = gathered();
        for (int i = 0; i < variables.size(); i++) {
            ops.scope("update/" + variables.get(i).name);
            if (gathered > 1) {
                gather(variables.get(i), trained.get(i), grads.get(i), gathered);
            } else {
                step.addAll(write(variables.get(i), trained.get(i), grads.get(i)));
            }
        }
        ops.after(List.of());
        step.addAll(net.updates);
        step.addAll(net.aside);
    }

    private boolean isMixed() {
        return job.flag("mixed");
    }

    private int gathered() {
        return job.list("special").stream()
                .filter(line -> line.startsWith("accumulate "))
                .mapToInt(line -> Integer.parseInt(line.split(" ")[1]))
                .findFirst()
                .orElse(1);
    }

    private Output<?> finite(List<Output<?>> grads) {
        List<Output<?>> each = new ArrayList<>();
        for (Output<?> gradient : grads) {
            Output<?> flat = ops.reshape(gradient, -1);
            each.add(ops.op("All", ops.op("IsFinite", flat), ops.ints(0)));
        }
        return ops.op("All", ops.op("Pack", List.of(each)), ops.ints(0));
    }

    /** Adds a gradient to a sum; the mean of the sum is applied by {@link #apply}, which clears it. */
    private void gather(Weights.Variable variable, Output<?> value, Output<?> gradient, int steps) {
        Weights.Variable sum =
                weights.make(variable.name, false, new float[variable.first.length], variable.shape);
        Operation add = ops.add("AssignAddVariableOp", List.of(sum.handle, gradient), "dtype", DataType.DT_FLOAT);
        step.add(add);
        ops.after(List.of());
        Output<?> read = weights.read(sum);
        List<Operation> written = write(variable, null, ops.mul(read, ops.number(1.0 / steps)));
        ops.after(written);
        Output<?> zero = ops.values(new float[variable.first.length], variable.shape);
        apply.add(ops.add("AssignVariableOp", List.of(sum.handle, zero), "dtype", DataType.DT_FLOAT));
        ops.after(List.of());
    }

    /** Where gradients are not finite nothing changes: the rate is 0 and moments keep what they have. */
    private Output<?> unless(double usual, double otherwise) {
        if (!isMixed()) {
            return ops.number(usual);
        }
        return ops.op("SelectV2", List.of(finite, ops.number(usual), ops.number(otherwise)));
    }

    private List<Operation> write(Weights.Variable variable, Output<?> value, Output<?> gradient) {
        int size = variable.first.length;
        Output<?> clean = gathered() > 1 || !isMixed()
                ? gradient
                : ops.op("SelectV2", List.of(finite, gradient, ops.op("ZerosLike", gradient)));
        boolean isGathered = gathered() > 1;
        Output<?> rate = isGathered ? ops.number(job.number("learning_rate")) : unless(job.number("learning_rate"), 0);
        Weights.Variable first = weights.make(variable.name, false, new float[size], variable.shape);
        if (job.text("optimizer").equals("rmsprop")) {
            Weights.Variable momentum = weights.make(variable.name, false, new float[size], variable.shape);
            return List.of(ops.add(
                    "ResourceApplyRMSProp",
                    List.of(
                            variable.handle,
                            first.handle,
                            momentum.handle,
                            rate,
                            unless(RHO, 1),
                            ops.number(0),
                            ops.number(1e-7),
                            clean)));
        }
        Weights.Variable second = weights.make(variable.name, false, new float[size], variable.shape);
        List<Operation> made = new ArrayList<>();
        List<Operation> before = ops.controls();
        if (job.text("optimizer").equals("adamw")) {
            Output<?> decay = ops.mul(value, ops.mul(rate, ops.number(DECAY)));
            made.add(ops.add("AssignSubVariableOp", List.of(variable.handle, decay), "dtype", DataType.DT_FLOAT));
            ops.after(List.of(made.get(0)));
        }
        Output<?> beta1 = isGathered ? ops.number(0.9) : unless(0.9, 1);
        Output<?> beta2 = isGathered ? ops.number(0.999) : unless(0.999, 1);
        made.add(ops.add(
                "ResourceApplyAdam",
                List.of(
                        variable.handle,
                        first.handle,
                        second.handle,
                        betaPower1,
                        betaPower2,
                        rate,
                        beta1,
                        beta2,
                        ops.number(1e-7),
                        clean)));
        ops.after(before);
        return made;
    }
}
