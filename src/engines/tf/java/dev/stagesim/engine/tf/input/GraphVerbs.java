package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Ops;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** Verbs on a sample as framework operations in a dataset's function. */
final class GraphVerbs {
    private static final int BYTES = 255;

    private GraphVerbs() {}

    static void apply(DatasetSample s, String line) {
        String[] w = line.split(" ");
        if (w[0].equals(s.job.text("host"))) {
            host(s, line, w);
            return;
        }
        Ops ops = s.ops;
        switch (w[0]) {
            case "center" -> s.value = ops.sub(s.value, ops.mean(s.value, true, axes(s)));
            case "center_time" -> s.value = ops.sub(s.value, ops.mean(s.value, true, 0));
            case "scale" -> s.value = ops.mul(s.value, ops.number(Double.parseDouble(w[1])));
            case "log1p" -> s.value = ops.op("Log1p", s.value);
            case "noise" -> {
                Output<?> drawn = ops.op("Reshape", s.normal(s.sizes), ops.op("Shape", s.value));
                s.value = ops.add(s.value, ops.mul(drawn, ops.number(Double.parseDouble(w[1]))));
            }
            case "rescale" -> s.value = ops.op("RealDiv", s.value, ops.number(BYTES));
            case "decode_raw" -> raw(s);
            case "decode_bytes" -> {
                raw(s);
                s.value = ops.op("RealDiv", s.value, ops.number(BYTES));
            }
            case "zero_odd" -> {
                Output<?> isOdd = ops.op("Equal", ops.op("FloorMod", s.value, ops.whole(2)), ops.whole(1));
                s.value = ops.op("SelectV2", List.of(isOdd, ops.whole(0), s.value));
            }
            case "roll" -> s.value = ops.op("Roll", List.of(s.value, ops.whole(Integer.parseInt(w[1])), ops.whole(0)));
            case "sparsify" -> {
                Output<?> isKept = ops.op("Greater", ops.op("Abs", s.value), ops.number(Double.parseDouble(w[1])));
                s.value = ops.op("SelectV2", List.of(isKept, s.value, ops.number(0)));
            }
            case "complex" -> s.value = ops.op("Complex", s.value, ops.op("ZerosLike", s.value));
            case "length", "pad_cut", "append_mask" -> lengths(s, w);
            case "lower", "split", "table_lookup" -> words(s, w[0]);
            case "stateless_normal", "stateless_uniform", "weighted_normals", "ramp" -> made(s, w[0]);
            default -> Pictures.apply(s, w);
        }
    }

    private static int[] axes(DatasetSample s) {
        int[] axes = new int[s.sizes.length];
        Arrays.setAll(axes, i -> i);
        return axes;
    }

    /** Runs a verb in Java: the framework calls back with the value. */
    private static void host(DatasetSample s, String line, String[] w) {
        int[] sizes = s.sizes;
        String kernel = line;
        if (w[0].equals("decode_bytes")) {
            sizes = s.job.wholes("element");
            StringBuilder with = new StringBuilder(line);
            for (int size : sizes) {
                with.append(' ').append(size);
            }
            kernel = with.toString();
        } else if (w[0].equals("random_crop")) {
            int size = Integer.parseInt(w[1]);
            sizes = new int[] {size, size, s.sizes[2]};
        } else if (w[0].equals("resize")) {
            sizes = s.sizes.clone();
            sizes[0] = Integer.parseInt(w[1]);
            sizes[1] = Integer.parseInt(w[2]);
        }
        boolean isWhole = s.value.dataType() == DataType.DT_INT32;
        s.host(kernel, isWhole ? DataType.DT_INT32 : DataType.DT_FLOAT, sizes);
    }

    private static void raw(DatasetSample s) {
        int[] sizes = s.job.wholes("element");
        Output<?> bytes = s.ops.op("DecodeRaw", List.of(s.value), "out_type", DataType.DT_UINT8);
        s.set(s.ops.reshape(s.ops.cast(bytes, DataType.DT_FLOAT), sizes), sizes);
    }

    private static void lengths(DatasetSample s, String[] w) {
        Ops ops = s.ops;
        switch (w[0]) {
            case "length" -> {
                int least = Integer.parseInt(w[1]);
                Output<?> steps = ops.add(s.whole(Integer.parseInt(w[2]) - least + 1), ops.whole(least));
                Output<?> at = ops.op("Range", List.of(ops.whole(0), ops.whole(s.sizes[0]), ops.whole(1)));
                Output<?> none = ops.cast(ops.whole(0), s.value.dataType());
                s.value = ops.op("SelectV2", List.of(ops.op("Less", at, steps), s.value, none));
            }
            case "pad_cut" -> cut(s, Integer.parseInt(w[1]));
            default -> {
                Output<?> any = ops.op("Max", List.of(ops.op("Abs", s.value), ops.ints(1)), "keep_dims", true);
                Output<?> isThere = ops.cast(ops.op("Greater", any, ops.number(0)), DataType.DT_FLOAT);
                s.set(ops.concat(1, List.of(s.value, isThere)), s.sizes[0], s.sizes[1] + 1);
            }
        }
    }

    /** The first {@code steps} steps, padded with empty ones. */
    private static void cut(DatasetSample s, int steps) {
        Ops ops = s.ops;
        int rank = s.sizes.length;
        int[] begin = new int[rank];
        int[] end = s.sizes.clone();
        end[0] = steps;
        int[] ones = new int[rank];
        Arrays.fill(ones, 1);
        int wholeAxes = rank == 1 ? 0 : (1 << rank) - 2;
        Output<?> first = ops.op(
                "StridedSlice",
                List.of(s.value, ops.ints(begin), ops.ints(end), ops.ints(ones)),
                "end_mask",
                wholeAxes);
        Output<?> found = ops.op(
                "StridedSlice",
                List.of(ops.op("Shape", first), ops.ints(0), ops.ints(1), ops.ints(1)),
                "shrink_axis_mask",
                1);
        List<Output<?>> table = new ArrayList<>(List.of(ops.whole(0), ops.sub(ops.whole(steps), found)));
        for (int i = 2; i < 2 * rank; i++) {
            table.add(ops.whole(0));
        }
        Output<?> paddings = ops.reshape(ops.op("Pack", List.of(table), "axis", 0), rank, 2);
        Output<?> fill = s.value.dataType() == DataType.DT_STRING ? ops.text("") : ops.number(0);
        s.set(ops.reshape(ops.op("PadV2", List.of(first, paddings, fill)), end), end);
    }

    private static void words(DatasetSample s, String verb) {
        Ops ops = s.ops;
        switch (verb) {
            case "lower" -> s.value = ops.op("StringLower", s.value);
            case "split" ->
                s.set(
                        ops.add("StringSplitV2", List.of(ops.reshape(s.value, 1), ops.text("")))
                                .output(1),
                        -1);
            default -> {
                Output<?> none = ops.long1(0);
                Output<?> found = ops.op("LookupTableFindV2", List.of(s.table, s.value, none));
                s.value = ops.reshape(ops.cast(found, DataType.DT_INT32), s.sizes);
            }
        }
    }

    private static void made(DatasetSample s, String verb) {
        Ops ops = s.ops;
        int[] sizes = s.job.wholes("element");
        switch (verb) {
            case "stateless_normal" -> s.set(stateless(s, "StatelessRandomNormal", s.value, sizes), sizes);
            case "stateless_uniform" -> s.set(stateless(s, "StatelessRandomUniform", s.value, sizes), sizes);
            case "weighted_normals" -> {
                int count = s.sizes[0];
                org.tensorflow.Operation numbers = ops.add("Unpack", List.of(s.value), "num", count, "axis", 0);
                List<Output<?>> all = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    Output<?> drawn = stateless(s, "StatelessRandomNormal", numbers.output(i), sizes);
                    all.add(ops.mul(drawn, ops.number(1.0 / (i + 1))));
                }
                s.set(ops.op("AddN", List.of(all)), sizes);
            }
            default -> {
                float[] ramp = new float[s.size()];
                for (int i = 0; i < ramp.length; i++) {
                    ramp[i] = (float) i / ramp.length;
                }
                long[] shape = Arrays.stream(s.sizes).asLongStream().toArray();
                s.value = ops.add(s.value, ops.values(ramp, shape));
            }
        }
    }

    /** Values that depend only on a number i: the seeds are i and 17 i + 3. */
    private static Output<?> stateless(DatasetSample s, String type, Output<?> number, int... sizes) {
        Ops ops = s.ops;
        Output<?> other = ops.add(ops.mul(number, ops.long1(17)), ops.long1(3));
        Output<?> seed = ops.op("Pack", List.of(List.of(number, other)), "axis", 0);
        return ops.op(type, List.of(ops.ints(sizes), seed), "dtype", DataType.DT_FLOAT);
    }
}
