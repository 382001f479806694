package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.graph.Ops;
import java.util.List;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** One sample inside the map function of a dataset. */
final class DatasetSample {
    final Ops ops;
    final Job job;
    /** Sample number, which determines random draws and quarter turns. */
    final Output<?> number;
    /** Resource of the word table, or null if there is none. */
    @Nullable
    Output<?> table;

    Output<?> value;
    /** Sizes of the value; negative if unknown. */
    int[] sizes;

    private int draws;

    DatasetSample(Ops ops, Job job, Output<?> number, Output<?> value, int... sizes) {
        this.ops = ops;
        this.job = job;
        this.number = number;
        this.value = value;
        this.sizes = sizes;
    }

    void set(Output<?> result, int... now) {
        value = result;
        sizes = now;
    }

    int size() {
        int size = 1;
        for (int axis : sizes) {
            size *= axis;
        }
        return size;
    }

    /** Seed of a draw: the workload's seed with the position of the draw, and the sample number. */
    private Output<?> seed() {
        long place = job.whole("seed") * 31L + 7919L * ++draws;
        return ops.op("Pack", List.of(List.of(ops.long1(place), number)), "axis", 0);
    }

    /** Uniform values between two bounds. */
    Output<?> uniform(double min, double max, int... shape) {
        Output<?> drawn =
                ops.op("StatelessRandomUniform", List.of(ops.ints(shape), seed()), "dtype", DataType.DT_FLOAT);
        return ops.add(ops.mul(drawn, ops.number(max - min)), ops.number(min));
    }

    Output<?> normal(int... shape) {
        return ops.op("StatelessRandomNormal", List.of(ops.ints(shape), seed()), "dtype", DataType.DT_FLOAT);
    }

    /** A random integer less than a bound. */
    Output<?> whole(int bound) {
        return ops.op(
                "StatelessRandomUniformInt",
                List.of(ops.ints(new int[0]), seed(), ops.whole(0), ops.whole(bound)),
                "dtype",
                DataType.DT_INT32);
    }

    Output<?> coin() {
        return ops.op("Less", uniform(0, 1), ops.number(0.5));
    }

    /** Applies a Java function to the value. */
    void host(String line, DataType type, int... now) {
        Output<?> result =
                ops.op(HostKernel.OP, List.of(value, number), "Tout", type, "verb", line, "seed", job.whole("seed"));
        set(now.length > 0 && isFixed(now) ? ops.reshape(result, now) : ops.reshaped(result, now), now);
    }

    private static boolean isFixed(int[] sizes) {
        return java.util.Arrays.stream(sizes).allMatch(size -> size >= 0);
    }
}
