package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Ops;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/**
 * LSTM layers. One operation computes all steps and another one their gradient. Compiled steps use loops instead.
 *
 * <p>A masked layer keeps its state during missing steps. Missing steps are last, so its result is the state after the
 * last existing step.
 */
public final class LstmKernel {
    private static final int GATES = 4;
    private static final int STATES = 6;

    private final Net net;
    private final Ops ops;
    private final DataType type;
    private final boolean isLoop;
    private final int units;
    private final boolean isSequence;
    private final List<Direction> directions = new ArrayList<>();

    /**
     * One direction of a layer.
     *
     * @param states states after all steps
     * @param at indices of each sample's last state
     */
    private record Direction(
            boolean isReversed, Output<?> states, Output<?> at, Function<Output<?>, LstmLoop.Gradients> backward) {}

    LstmKernel(Net net, int units, boolean isSequence) {
        this.net = net;
        this.units = units;
        this.isSequence = isSequence;
        ops = net.ops;
        isLoop = net.isTraining && net.job.flag("compiled");
        // There are kernels for float32 and float16, but not for bfloat16.
        type = net.type == DataType.DT_BFLOAT16 && !isLoop ? DataType.DT_FLOAT : net.type;
    }

    void apply(boolean isBidirectional) {
        DataType before = net.now.dataType();
        Output<?> value = ops.cast(net.now, type);
        directions.add(direction(value, false));
        if (isBidirectional) {
            directions.add(direction(value, true));
        }
        List<Output<?>> results =
                directions.stream().<Output<?>>map(this::result).toList();
        Output<?> joined = isBidirectional ? ops.concat(isSequence ? 2 : 1, results) : results.get(0);
        net.now = ops.cast(joined, net.type);
        int width = units * directions.size();
        net.sizes = isSequence ? new int[] {net.sizes[0], width} : new int[] {width};
        net.layer.backward = gradient -> backward(ops.cast(gradient, type), before);
    }

    /** Moves the step axis to the front. */
    private Output<?> stepsFirst(Output<?> value, boolean isReversed) {
        Output<?> first = ops.transpose(value, 1, 0, 2);
        return isReversed ? ops.op("ReverseV2", first, ops.ints(0)) : first;
    }

    private Output<?> batchFirst(Output<?> value, boolean isReversed) {
        Output<?> first = isReversed ? ops.op("ReverseV2", value, ops.ints(0)) : value;
        return ops.transpose(first, 1, 0, 2);
    }

    private Direction direction(Output<?> value, boolean isReversed) {
        int in = net.last();
        Output<?> weight =
                ops.cast(net.weight(Recurrent.lstmKernel(net, in, units), in + units, (long) GATES * units), type);
        Output<?> bias = ops.cast(net.weight(Recurrent.forgetBias(units), (long) GATES * units), type);
        Output<?> x = stepsFirst(value, isReversed);
        if (isLoop) {
            return loop(x, weight, bias, in, isReversed);
        }
        Output<?> steps = ops.op(
                "StridedSlice",
                List.of(ops.op("Shape", x), ops.ints(0), ops.ints(1), ops.ints(1)),
                "shrink_axis_mask",
                1);
        Output<?> zero = ops.cast(ops.values(new float[net.batch * units], net.batch, units), type);
        Output<?> peephole = ops.cast(ops.values(new float[units], units), type);
        List<Output<?>> inputs =
                List.of(ops.cast(steps, DataType.DT_INT64), x, zero, zero, weight, peephole, peephole, peephole, bias);
        Operation run = ops.add("BlockLSTMV2", inputs, "cell_clip", 0f, "use_peephole", false);
        return new Direction(isReversed, run.output(STATES), at(steps), states -> backward(run, inputs, states));
    }

    private LstmLoop.Gradients backward(Operation run, List<Output<?>> before, Output<?> states) {
        List<Output<?>> inputs = new ArrayList<>(before);
        for (int output = 0; output <= STATES; output++) {
            inputs.add(run.output(output));
        }
        inputs.add(ops.op("ZerosLike", run.output(1)));
        inputs.add(states);
        Operation gradient = ops.add("BlockLSTMGradV2", inputs, "use_peephole", false);
        return new LstmLoop.Gradients(gradient.output(0), gradient.output(3), gradient.output(7));
    }

    private Direction loop(Output<?> x, Output<?> weight, Output<?> bias, int in, boolean isReversed) {
        int steps = net.sizes[0];
        LstmLoop loop = new LstmLoop(ops, steps, net.batch, units, type);
        Output<?> upper = ops.op("Slice", List.of(weight, ops.ints(0, 0), ops.ints(in, GATES * units)));
        Output<?> lower = ops.op("Slice", List.of(weight, ops.ints(in, 0), ops.ints(units, GATES * units)));
        Output<?> rows = ops.op("BiasAdd", ops.op("MatMul", ops.reshape(x, -1, in), upper), bias);
        LstmLoop.Run run = loop.forward(ops.reshape(rows, steps, net.batch, GATES * units), lower);
        return new Direction(
                isReversed, run.states(), at(ops.whole(steps)), states -> loop.backward(run, states, x, weight, in));
    }

    /** Indices (step, sample) of each sample's last state. */
    private Output<?> at(Output<?> steps) {
        Output<?> last;
        if (net.has("masking")) {
            last = ops.sub(lengths(ops, net.input), ops.whole(1));
        } else {
            last = ops.op("Fill", ops.ints(net.batch), ops.sub(steps, ops.whole(1)));
        }
        Output<?> samples = ops.op("Range", List.of(ops.whole(0), ops.whole(net.batch), ops.whole(1)));
        return ops.op("Pack", List.of(List.of(last, samples)), "axis", 1);
    }

    /** Number of steps of each sample with non-zero values. */
    public static Output<?> lengths(Ops ops, Output<?> value) {
        Output<?> any = ops.op("Max", ops.op("Abs", value), ops.ints(2));
        Output<?> isPresent = ops.cast(ops.op("Greater", any, ops.number(0)), DataType.DT_INT32);
        return ops.sum(isPresent, false, 1);
    }

    private Output<?> result(Direction direction) {
        return isSequence
                ? batchFirst(direction.states(), direction.isReversed)
                : ops.op("GatherNd", direction.states(), direction.at);
    }

    private List<Output<?>> backward(Output<?> gradient, DataType before) {
        List<Output<?>> trained = new ArrayList<>();
        List<Output<?>> values = new ArrayList<>();
        for (int i = 0; i < directions.size(); i++) {
            Direction direction = directions.get(i);
            Output<?> part = part(gradient, i);
            Output<?> states = isSequence
                    ? stepsFirst(part, direction.isReversed)
                    : ops.op("ScatterNd", List.of(direction.at, part, ops.op("Shape", direction.states())));
            LstmLoop.Gradients gradients = direction.backward.apply(states);
            trained.add(ops.cast(gradients.weight(), DataType.DT_FLOAT));
            trained.add(ops.cast(gradients.bias(), DataType.DT_FLOAT));
            values.add(batchFirst(gradients.values(), direction.isReversed));
        }
        Output<?> all = values.size() == 1 ? values.get(0) : ops.add(values.get(0), values.get(1));
        trained.add(ops.cast(all, before));
        return trained;
    }

    /** Returns the part of a gradient for one direction. */
    private Output<?> part(Output<?> gradient, int direction) {
        if (directions.size() == 1) {
            return gradient;
        }
        return ops.add("Split", List.of(ops.whole(isSequence ? 2 : 1), gradient), "num_split", directions.size())
                .output(direction);
    }
}
