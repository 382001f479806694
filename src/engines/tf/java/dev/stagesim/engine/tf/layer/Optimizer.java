package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.ArrayList;
import java.util.List;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** Updates weights with Adam, AdamW or RMSprop; non-finite gradients change nothing. */
final class Optimizer {
    private static final double DECAY = 0.004;
    private static final double RHO = 0.9;
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final double EPSILON = 1e-7;

    private final Job job;
    private final WeightVariables weights;
    /** True if gradients are finite; null if this is not checked. */
    private final @Nullable Output<?> finite;

    /** A weight and its optimizer state. */
    record Slots(List<Output<?>> handles) {
        Slots as(List<Output<?>> others) {
            return new Slots(List.copyOf(others));
        }
    }

    Optimizer(Job job, WeightVariables weights, @Nullable Output<?> finite) {
        this.job = job;
        this.weights = weights;
        this.finite = finite;
    }

    Slots slots(WeightVariables.Variable variable) {
        int size = variable.first.length;
        WeightVariables.Variable first = weights.make(variable.name, false, new float[size], variable.shape);
        WeightVariables.Variable second = weights.make(variable.name, false, new float[size], variable.shape);
        return new Slots(List.of(variable.handle, first.handle, second.handle));
    }

    /** Replaces a non-finite gradient with zeros. */
    Output<?> clean(Ops ops, Output<?> gradient) {
        return finite == null ? gradient : ops.op("SelectV2", List.of(finite, gradient, ops.op("ZerosLike", gradient)));
    }

    /** Returns {@code otherwise} if gradients are not finite, so that the rate is 0 and moments keep their values. */
    private Output<?> ifFinite(Ops ops, double value, double otherwise) {
        boolean isInGraph = finite != null && finite.op().env() == ops.graph;
        return isInGraph
                ? ops.op("SelectV2", List.of(finite, ops.number(value), ops.number(otherwise)))
                : ops.number(value);
    }

    List<Operation> write(
            Ops ops, Slots slots, Output<?> value, Output<?> gradient, Output<?> power1, Output<?> power2) {
        boolean isInGraph = finite != null && finite.op().env() == ops.graph;
        Output<?> clean = isInGraph ? clean(ops, gradient) : gradient;
        Output<?> rate = ifFinite(ops, job.number("learning_rate"), 0);
        List<Output<?>> inputs = new ArrayList<>(slots.handles);
        if (job.text("optimizer").equals("rmsprop")) {
            inputs.addAll(List.of(rate, ifFinite(ops, RHO, 1), ops.number(0), ops.number(EPSILON), clean));
            return List.of(ops.add("ResourceApplyRMSProp", inputs));
        }
        List<Operation> writes = new ArrayList<>();
        List<Operation> before = ops.controls();
        if (job.text("optimizer").equals("adamw")) {
            Output<?> decay = ops.mul(value, ops.mul(rate, ops.number(DECAY)));
            writes.add(
                    ops.add("AssignSubVariableOp", List.of(slots.handles.get(0), decay), "dtype", DataType.DT_FLOAT));
            ops.after(List.of(writes.get(0)));
        }
        Output<?> beta1 = ifFinite(ops, BETA1, 1);
        Output<?> beta2 = ifFinite(ops, BETA2, 1);
        inputs.addAll(List.of(power1, power2, rate, beta1, beta2, ops.number(EPSILON), clean));
        writes.add(ops.add("ResourceApplyAdam", inputs));
        ops.after(before);
        return writes;
    }
}
