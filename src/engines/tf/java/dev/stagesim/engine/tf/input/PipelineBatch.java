package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.graph.Ops;
import java.util.List;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.DataType;

/** A batch as the input pipeline delivers it to a step. */
public final class PipelineBatch {
    /** Tensors from the pipeline before they are unpacked. */
    public final List<Output<?>> raw;
    /** Input of the first layer. For a sparse batch: its values, which only the first layer can use. */
    public final Output<?> value;

    public final Output<?> labels;
    /** Indices, values and shape of a sparse batch; empty for a dense batch. */
    public final List<Output<?>> sparse;
    /** Mask from the pipeline, or null if there is none. */
    @Nullable
    public final Output<?> mask;

    PipelineBatch(Ops ops, Job job, List<Output<?>> raw, List<Shape> shapes) {
        this.raw = raw;
        boolean isSparse = raw.size() >= 4;
        int next = isSparse ? 3 : 1;
        Output<?> first = shaped(ops, raw.get(0), shapes.get(0));
        sparse = isSparse ? List.of(first, raw.get(1), raw.get(2)) : List.of();
        if (first.dataType() == DataType.DT_COMPLEX64) {
            first = ops.op("Real", first);
        }
        value = isSparse ? raw.get(1) : sized(ops, job, first);
        boolean isInput = job.text("labels").equals("input");
        labels = isInput ? value : shaped(ops, raw.get(next), shapes.get(next));
        int rest = isInput ? next : next + 1;
        mask = raw.size() > rest ? shaped(ops, raw.get(rest), shapes.get(rest)) : null;
    }

    /** Adds a channel axis of size one if samples have none. */
    private static Output<?> sized(Ops ops, Job job, Output<?> value) {
        int[] input = job.wholes("input");
        if (value.shape().numDimensions() == input.length + 1) {
            return value;
        }
        int[] all = new int[input.length + 1];
        all[0] = job.whole("batch");
        System.arraycopy(input, 0, all, 1, input.length);
        return ops.reshape(value, all);
    }

    private static Output<?> shaped(Ops ops, Output<?> value, Shape shape) {
        return ops.op("EnsureShape", List.of(value), "shape", shape);
    }
}
