package dev.stagesim.engine.tf.graph;

import java.util.List;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;

/** Framework loops in parallel with a step; their results are unused. */
public final class Loops {
    private Loops() {}

    /** A loop that increments a number. */
    public static Operation raise(Ops ops, Output<?> first, int trips) {
        List<DataType> types = List.of(DataType.DT_INT32, DataType.DT_FLOAT);
        List<Shape> shapes = List.of(Shape.scalar(), Shape.scalar());
        AttrValue body = ops.library.define(
                "raise",
                types,
                shapes,
                (inner, of) -> List.of(inner.add(of.get(0), inner.whole(1)), inner.add(of.get(1), inner.number(1))));
        return loop(ops, List.of(ops.whole(0), first), types, shapes, trips, body);
    }

    /** Cumulative sums over time for each sample. */
    public static Operation sums(Ops ops, Output<?> values, int batch, int width) {
        List<DataType> types = List.of(DataType.DT_INT32, DataType.DT_FLOAT, DataType.DT_FLOAT);
        List<Shape> shapes = List.of(Shape.scalar(), Shape.of(batch, width), Shape.unknown());
        AttrValue body = ops.library.define("sums", types, shapes, (inner, of) -> {
            Output<?> sample = inner.op("GatherV2", List.of(of.get(2), of.get(0), inner.whole(0)));
            Output<?> sum = inner.reshape(inner.sum(sample, false, 0), 1, width);
            Output<?> at = inner.reshape(of.get(0), 1, 1);
            Output<?> kept = inner.op("TensorScatterUpdate", List.of(of.get(1), at, sum));
            return List.of(inner.add(of.get(0), inner.whole(1)), kept, inner.op("Identity", of.get(2)));
        });
        Output<?> none = ops.values(new float[batch * width], batch, width);
        Output<?> exact = ops.cast(values, DataType.DT_FLOAT);
        return loop(ops, List.of(ops.whole(0), none, exact), types, shapes, batch, body);
    }

    public static Operation loop(
            Ops ops, List<Output<?>> first, List<DataType> types, List<Shape> shapes, int trips, AttrValue body) {
        AttrValue goesOn = ops.library.define(
                "goes_on", types, shapes, (inner, of) -> List.of(inner.op("Less", of.get(0), inner.whole(trips))));
        return ops.add("StatelessWhile", List.of(first), "T", Library.types(types), "cond", goesOn, "body", body);
    }
}
