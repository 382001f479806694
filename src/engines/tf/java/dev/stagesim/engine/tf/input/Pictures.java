package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Ops;
import java.util.List;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;

/** Image and signal verbs as framework operations. */
final class Pictures {
    private static final double MIN_CONTRAST = 0.8;
    private static final double MAX_CONTRAST = 1.2;
    private static final int QUARTERS = 4;

    private Pictures() {}

    static void apply(DatasetSample s, String[] w) {
        Ops ops = s.ops;
        switch (w[0]) {
            case "flip_horizontal" -> flip(s, 1);
            case "flip_vertical" -> flip(s, 0);
            case "brightness" -> {
                double most = Double.parseDouble(w[1]);
                s.value = ops.add(s.value, s.uniform(-most, most));
            }
            case "random_contrast" ->
                s.value = ops.op("AdjustContrastv2", s.value, s.uniform(MIN_CONTRAST, MAX_CONTRAST));
            case "cond_augment" -> augment(s);
            case "random_crop" -> crop(s, Integer.parseInt(w[1]));
            case "resize" -> resize(s, Integer.parseInt(w[1]), Integer.parseInt(w[2]));
            case "rotate_quarter" -> rotate(s);
            case "nms_scale" -> suppress(s, Integer.parseInt(w[1]), Integer.parseInt(w[2]));
            case "frame" -> {
                Output<?> at = frames(s, Integer.parseInt(w[1]), Integer.parseInt(w[2]));
                s.set(ops.op("GatherV2", List.of(s.value, at, ops.whole(0))), s.job.wholes("input"));
            }
            case "stft" -> spectrum(s, Integer.parseInt(w[1]), Integer.parseInt(w[2]));
            case "fft_real" -> s.value = ops.op("Real", ops.op("FFT2D", complex(s)));
            case "fft_rows" -> s.value = ops.op("Real", ops.op("FFT", complex(s)));
            default -> throw new IllegalArgumentException("unknown verb " + w[0]);
        }
    }

    private static Output<?> complex(DatasetSample s) {
        return s.ops.op("Complex", s.value, s.ops.op("ZerosLike", s.value));
    }

    private static void flip(DatasetSample s, int axis) {
        Output<?> turned = s.ops.op("ReverseV2", s.value, s.ops.ints(axis));
        s.value = s.ops.op("SelectV2", List.of(s.coin(), turned, s.value));
    }

    /** Applies one of two random changes and computes only the chosen one. */
    private static void augment(DatasetSample s) {
        Ops ops = s.ops;
        Output<?> factor = s.uniform(MIN_CONTRAST, MAX_CONTRAST);
        List<DataType> types = List.of(DataType.DT_FLOAT, DataType.DT_FLOAT);
        List<Shape> shapes = List.of(s.value.shape(), Shape.scalar());
        AttrValue brighter = ops.library.define(
                "brighter", types, shapes, (inner, of) -> List.of(inner.add(of.get(0), inner.number(0.1))));
        AttrValue contrast = ops.library.define(
                "contrast", types, shapes, (inner, of) -> List.of(inner.op("AdjustContrastv2", of.get(0), of.get(1))));
        s.value = ops.reshape(
                ops.op(
                        "StatelessIf",
                        List.of(s.coin(), List.of(s.value, factor)),
                        "then_branch",
                        brighter,
                        "else_branch",
                        contrast,
                        "Tout",
                        Library.types(List.of(DataType.DT_FLOAT))),
                s.sizes);
    }

    private static void crop(DatasetSample s, int size) {
        Ops ops = s.ops;
        List<Output<?>> begin = List.of(s.whole(s.sizes[0] - size + 1), s.whole(s.sizes[1] - size + 1), ops.whole(0));
        int channels = s.sizes[2];
        Output<?> at = ops.op("Pack", List.of(begin), "axis", 0);
        s.set(ops.op("Slice", List.of(s.value, at, ops.ints(size, size, channels))), size, size, channels);
    }

    /** Bilinear interpolation between pixel centres. */
    private static void resize(DatasetSample s, int high, int wide) {
        Ops ops = s.ops;
        boolean isFlat = s.sizes.length == 2;
        Output<?> image = ops.op("ExpandDims", s.value, ops.whole(0));
        image = isFlat ? ops.op("ExpandDims", image, ops.whole(3)) : image;
        Output<?> made = ops.op("ResizeBilinear", List.of(image, ops.ints(high, wide)), "half_pixel_centers", true);
        int[] sizes = isFlat ? new int[] {high, wide} : new int[] {high, wide, s.sizes[2]};
        s.set(ops.reshape(made, sizes), sizes);
    }

    /** Rotates left by a number of quarter turns; one branch per number. */
    private static void rotate(DatasetSample s) {
        Ops ops = s.ops;
        AttrValue.ListValue.Builder branches = AttrValue.ListValue.newBuilder();
        for (int quarters = 0; quarters < QUARTERS; quarters++) {
            int turns = quarters;
            branches.addFunc(ops.library
                    .define("turned", List.of(DataType.DT_FLOAT), List.of(s.value.shape()), (inner, of) -> {
                        Output<?> image = inner.op("Identity", of.get(0));
                        for (int i = 0; i < turns; i++) {
                            image = inner.op("ReverseV2", inner.transpose(image, 1, 0), inner.ints(0));
                        }
                        return List.of(image);
                    })
                    .getFunc());
        }
        Output<?> which = ops.cast(ops.op("FloorMod", s.number, ops.long1(QUARTERS)), DataType.DT_INT32);
        s.set(
                ops.op(
                        "StatelessCase",
                        List.of(which, List.of(s.value)),
                        "branches",
                        AttrValue.newBuilder().setList(branches).build(),
                        "Tout",
                        Library.types(List.of(DataType.DT_FLOAT))),
                -1,
                -1);
    }

    /** Scales an image by the number of random boxes that remain after non-maximum suppression. */
    private static void suppress(DatasetSample s, int boxes, int most) {
        Ops ops = s.ops;
        Output<?> corner = s.uniform(0, 0.5, boxes, 2);
        Output<?> box = ops.concat(1, List.of(corner, ops.add(corner, s.uniform(0.05, 0.5, boxes, 2))));
        Output<?> kept = ops.op(
                "NonMaxSuppressionV3",
                List.of(box, s.uniform(0, 1, boxes), ops.whole(most), ops.number(0.5), ops.number(-1)));
        Output<?> count = ops.cast(ops.op("Size", kept), DataType.DT_FLOAT);
        Output<?> factor = ops.mul(ops.add(ops.mul(count, ops.number(1.0 / boxes)), ops.number(1)), ops.number(0.5));
        s.value = ops.mul(s.value, factor);
    }

    private static Output<?> frames(DatasetSample s, int length, int step) {
        int count = (s.sizes[0] - length) / step + 1;
        int[] at = new int[count * length];
        for (int i = 0; i < at.length; i++) {
            at[i] = i / length * step + i % length;
        }
        return s.ops.reshape(s.ops.ints(at), count, length);
    }

    /** Magnitude spectrum of frames with a Hann window. */
    private static void spectrum(DatasetSample s, int length, int step) {
        Ops ops = s.ops;
        float[] hann = new float[length];
        for (int t = 0; t < length; t++) {
            hann[t] = (float) (0.5 - 0.5 * Math.cos(2 * Math.PI * t / length));
        }
        int count = (s.sizes[0] - length) / step + 1;
        Output<?> framed = ops.op("GatherV2", List.of(s.value, frames(s, length, step), ops.whole(0)));
        Output<?> shown = ops.mul(framed, ops.values(hann, 1, length));
        Output<?> magnitudes = ops.op("ComplexAbs", ops.op("RFFT", shown, ops.ints(length)));
        s.set(ops.reshape(magnitudes, count, length / 2 + 1, 1), count, length / 2 + 1, 1);
    }
}
