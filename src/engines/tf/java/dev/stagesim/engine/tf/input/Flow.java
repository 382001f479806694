package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Ops;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.DataType;

/** A framework dataset with the types and shapes of its elements. */
final class Flow {
    private static final String TYPES = "output_types";
    private static final String SHAPES = "output_shapes";
    private static final String ARGUMENTS = "Targuments";
    private static final int AUTOTUNED = -1;

    final Output<?> set;
    final List<DataType> types;
    final List<Shape> shapes;
    private final Ops ops;

    private Flow(Ops ops, Output<?> set, List<DataType> types, List<Shape> shapes) {
        this.ops = ops;
        this.set = set;
        this.types = List.copyOf(types);
        this.shapes = List.copyOf(shapes);
    }

    /** Slices of tensors along their first axis. */
    static Flow slices(Ops ops, List<Output<?>> parts, List<Shape> shapes) {
        List<DataType> types = parts.stream().map(Output::dataType).toList();
        Output<?> set = ops.op(
                "TensorSliceDataset",
                List.of(parts),
                "Toutput_types",
                Library.types(types),
                SHAPES,
                Library.shapes(shapes));
        return new Flow(ops, set, types, shapes);
    }

    /** A range of integers. */
    static Flow range(Ops ops, Output<?> begin, Output<?> end) {
        List<DataType> types = List.of(DataType.DT_INT64);
        List<Shape> shapes = List.of(Shape.scalar());
        return create(ops, "RangeDataset", List.of(begin, end, ops.long1(1)), types, shapes);
    }

    /** Serialised records of a file. */
    static Flow records(Ops ops, String file) {
        Output<?> set = ops.op("TFRecordDataset", List.of(ops.texts(file), ops.text(""), ops.long1(1 << 18)));
        return new Flow(ops, set, List.of(DataType.DT_STRING), List.of(Shape.scalar()));
    }

    /** Zips two datasets. */
    Flow with(Flow other) {
        List<DataType> both = new ArrayList<>(types);
        both.addAll(other.types);
        List<Shape> sizes = new ArrayList<>(shapes);
        sizes.addAll(other.shapes);
        return create(ops, "ZipDataset", List.of(List.of(set, other.set)), both, sizes);
    }

    private static Flow create(
            Ops ops, String type, List<?> inputs, List<DataType> types, List<Shape> shapes, Object... more) {
        List<Object> attributes = new ArrayList<>(Arrays.asList(more));
        attributes.addAll(List.of(TYPES, Library.types(types), SHAPES, Library.shapes(shapes)));
        return new Flow(ops, ops.op(type, inputs, attributes.toArray()), types, shapes);
    }

    private Flow sameElements(String type, List<?> inputs, Object... more) {
        return create(ops, type, inputs, types, shapes, more);
    }

    /** A function on elements, with the types and shapes of its results. */
    static final class Mapping {
        final List<DataType> types = new ArrayList<>();
        final List<Shape> shapes = new ArrayList<>();
        final org.tensorflow.proto.AttrValue function;

        Mapping(Ops ops, String name, Flow flow, List<Output<?>> captured, Library.Body body) {
            List<DataType> in = new ArrayList<>(flow.types);
            List<Shape> sizes = new ArrayList<>(flow.shapes);
            for (Output<?> output : captured) {
                in.add(output.dataType());
                sizes.add(Shape.unknown());
            }
            function = ops.library.define(name, in, sizes, (inner, arguments) -> {
                List<Output<?>> results = body.of(inner, arguments);
                results.forEach(output -> {
                    types.add(output.dataType());
                    shapes.add(output.shape());
                });
                return results;
            });
        }
    }

    private static org.tensorflow.proto.AttrValue captures(List<Output<?>> captured) {
        return Library.types(captured.stream().map(Output::dataType).toList());
    }

    /**
     * Maps elements in order.
     *
     * @param parallel number of elements in parallel; 0 to let the framework choose
     * @param captured tensors passed to the function after the element
     */
    Flow map(String name, int parallel, List<Output<?>> captured, Library.Body body) {
        Mapping mapping = new Mapping(ops, name, this, captured, body);
        Object[] attributes = {"f", mapping.function, ARGUMENTS, captures(captured), "deterministic", "true"};
        Output<?> calls = ops.long1(parallel == 0 ? AUTOTUNED : parallel);
        return create(
                ops, "ParallelMapDatasetV2", List.of(set, captured, calls), mapping.types, mapping.shapes, attributes);
    }

    /** Replaces each element with a one-element dataset of the results of {@code body}. */
    Flow flatMapOne(String name, List<Output<?>> captured, Library.Body body) {
        List<DataType> made = new ArrayList<>();
        List<Shape> sizes = new ArrayList<>();
        Mapping mapping = new Mapping(ops, name, this, captured, (inner, arguments) -> {
            List<Output<?>> parts = body.of(inner, arguments);
            parts.forEach(output -> {
                made.add(output.dataType());
                sizes.add(output.shape());
            });
            // Use a slice dataset: the framework recognises slices as repeatable and continues to prefetch.
            List<Output<?>> rows = parts.stream()
                    .<Output<?>>map(output -> inner.op("Pack", List.of(List.of(output)), "axis", 0))
                    .toList();
            return List.of(slices(inner, rows, sizes).set);
        });
        return flatMap(mapping, captured, made, sizes);
    }

    private Flow flatMap(Mapping mapping, List<Output<?>> captured, List<DataType> made, List<Shape> sizes) {
        return create(
                ops,
                "FlatMapDataset",
                List.of(set, captured),
                made,
                sizes,
                "f",
                mapping.function,
                ARGUMENTS,
                captures(captured));
    }

    /** Interleaves datasets of numbers: reads {@code cycle} of them in turn. */
    Flow interleave(String name, int cycle, Library.Body body) {
        Mapping mapping = new Mapping(ops, name, this, List.of(), body);
        List<?> inputs = List.of(set, List.of(), ops.long1(cycle), ops.long1(1));
        return sameElements("InterleaveDataset", inputs, "f", mapping.function, ARGUMENTS, Library.types(List.of()));
    }

    /** Scans with a numeric state; the body receives the state first, and returns the next state and the element. */
    Flow scan(String name, Output<?> first, Library.Body body) {
        List<DataType> in = new ArrayList<>(List.of(DataType.DT_INT64));
        in.addAll(types);
        List<Shape> sizes = new ArrayList<>(List.of(Shape.scalar()));
        sizes.addAll(shapes);
        return sameElements(
                "ScanDataset",
                List.of(set, List.of(first), List.of()),
                "f",
                ops.library.define(name, in, sizes, body),
                ARGUMENTS,
                Library.types(List.of()),
                "Tstate",
                Library.types(List.of(DataType.DT_INT64)));
    }

    /** Consecutive vectors of numbers. */
    Flow windows(String name, int size, int shift) {
        Output<?> windows = ops.op(
                "WindowDataset",
                List.of(set, ops.long1(size), ops.long1(shift), ops.long1(1), ops.flag(true)),
                TYPES,
                Library.types(types),
                SHAPES,
                Library.shapes(shapes));
        Flow nested = new Flow(ops, windows, List.of(DataType.DT_VARIANT), List.of(Shape.scalar()));
        List<Shape> rows = List.of(Shape.of(size));
        Mapping mapping = new Mapping(
                ops,
                name,
                nested,
                List.of(),
                (inner, arguments) -> List.of(inner.op(
                        "BatchDatasetV2",
                        List.of(arguments.get(0), inner.long1(size), inner.flag(true)),
                        TYPES,
                        Library.types(types),
                        SHAPES,
                        Library.shapes(rows))));
        return nested.flatMap(mapping, List.of(), types, rows);
    }

    Flow cache() {
        return sameElements("CacheDataset", List.of(set, ops.text("")));
    }

    Flow shuffle(int buffer, long seed) {
        return sameElements("ShuffleDataset", List.of(set, ops.long1(buffer), ops.long1(seed), ops.long1(1)));
    }

    Flow repeat() {
        return sameElements("RepeatDataset", List.of(set, ops.long1(-1)));
    }

    Flow batch(int size, boolean isPadded) {
        List<Shape> sizes = shapes.stream()
                .map(output -> output.isUnknown() ? output : output.prepend(size))
                .toList();
        if (!isPadded) {
            return create(ops, "BatchDatasetV2", List.of(set, ops.long1(size), ops.flag(true)), types, sizes);
        }
        List<Output<?>> targets = new ArrayList<>();
        List<Output<?>> fill = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            targets.add(ops.longs(shapes.get(i).asArray()));
            fill.add(ops.cast(ops.number(0), types.get(i)));
        }
        Output<?> made = ops.op(
                "PaddedBatchDatasetV2",
                List.of(set, ops.long1(size), targets, fill, ops.flag(true)),
                SHAPES,
                Library.shapes(sizes));
        return new Flow(ops, made, types, sizes);
    }

    Flow privatePool(int threads) {
        return sameElements("PrivateThreadPoolDataset", List.of(set, ops.long1(threads)));
    }

    Flow prefetch(int batches) {
        return sameElements("PrefetchDataset", List.of(set, ops.long1(batches == 0 ? AUTOTUNED : batches)));
    }
}
