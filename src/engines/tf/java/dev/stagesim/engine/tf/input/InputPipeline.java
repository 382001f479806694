package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.graph.Ops;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.DataType;

/**
 * Input pipeline as framework datasets: source, map, cache, shuffle, repeat, flat map, batch, prefetch. Verbs after the
 * word {@code flat_map} run inside the flat map, verbs after {@code batch} on whole batches.
 */
public final class InputPipeline {
    private static final String PROCESSOR = "/device:CPU:0";

    private static final List<String> STRUCTURE = List.of(
            "scan", "interleave", "window", "padded", "ragged", "ragged_to_dense", "parse_sparse", "sparse_to_dense");

    private final Job job;
    private final Ops ops;
    private final Source source;
    /** Operation that starts reading. */
    @Nullable
    private Operation start;
    /** Operation that moves the next batch to the step's buffer. */
    @Nullable
    public Operation next;

    public InputPipeline(Job job, Ops ops) {
        this.job = job;
        this.ops = ops;
        source = new Source(job, ops);
    }

    /** Builds the pipeline; returns the batch for the step. */
    public PipelineBatch build(Path folder) throws IOException {
        ops.device(PROCESSOR);
        ops.scope("source");
        if (hasVerb("table_lookup")) {
            source.words();
        }
        Flow flow = numbers(source.flow(folder));
        ops.scope("data");
        flow = flow.map("map", job.whole("parallel_calls"), captured(), (inner, of) -> sample(inner, of, false));
        boolean isEndless = job.whole("elements") == 0;
        if (job.flag("cache") && (!isEndless || job.flag("defects"))) {
            flow = flow.cache();
        }
        if (job.whole("shuffle") > 0) {
            flow = flow.shuffle(job.whole("shuffle"), job.whole("seed"));
        }
        if (job.flag("repeat") || (!isEndless && !job.flag("defects"))) {
            flow = flow.repeat();
        }
        flow = flow.flatMapOne("flat_map", captured(), (inner, of) -> sample(inner, of, true));
        flow = flow.batch(job.whole("batch"), hasVerb("padded"));
        flow = batches(flow);
        int pool = special("private_pool");
        flow = pool > 0 ? flow.privatePool(pool) : flow;
        return stage(flow.prefetch(job.whole("prefetch")));
    }

    private boolean hasVerb(String name) {
        return job.list("ops").stream().anyMatch(line -> line.split(" ", -1)[0].equals(name));
    }

    /** Lines before or after the word {@code flat_map}. */
    private List<String> verbs(boolean isFlat) {
        List<String> all = job.list("ops");
        int end = all.contains("batch") ? all.indexOf("batch") : all.size();
        int flat = all.contains("flat_map") ? all.indexOf("flat_map") : end;
        return isFlat ? all.subList(Math.min(flat + 1, end), end) : all.subList(0, flat);
    }

    private int special(String name) {
        return job.list("special").stream()
                .filter(line -> line.startsWith(name + " "))
                .mapToInt(line -> Integer.parseInt(line.split(" ", -1)[1]))
                .findFirst()
                .orElse(0);
    }

    private List<Output<?>> captured() {
        return source.table == null ? List.of() : List.of(source.table);
    }

    /** Transformations of sample numbers before samples are created. */
    private Flow numbers(Flow from) {
        Flow flow = from;
        for (String line : job.list("ops")) {
            String[] w = line.split(" ", -1);
            if (w[0].equals("scan")) {
                int modulus = Integer.parseInt(w[1]);
                flow = flow.scan("scan", ops.long1(0), (inner, of) -> {
                    Output<?> sum = inner.add(inner.add(of.get(0), of.get(1)), inner.long1(1));
                    Output<?> state = inner.op("FloorMod", sum, inner.long1(modulus));
                    return List.of(state, inner.op("Identity", state));
                });
            } else if (w[0].equals("interleave")) {
                int offsets = Integer.parseInt(w[2]);
                flow = flow.interleave("interleave", Integer.parseInt(w[1]), (inner, of) -> {
                    Output<?> begin = inner.mul(of.get(0), inner.long1(offsets));
                    return List.of(Flow.range(inner, begin, inner.add(begin, inner.long1(offsets))).set);
                });
            } else if (w[0].equals("window")) {
                flow = flow.windows("window", Integer.parseInt(w[1]), Integer.parseInt(w[2]));
            }
        }
        return flow;
    }

    /** Applies the verbs to one sample: value, label and, unless the sample is complete, its number. */
    private List<Output<?>> sample(Ops inner, List<Output<?>> of, boolean isFlat) {
        boolean hasLabel = isFlat ? !job.text("labels").equals("input") : source.hasLabels();
        int last = hasLabel ? 2 : 1;
        Output<?> number = isFlat || !source.isNumbers() ? of.get(last) : number(inner, of.get(0));
        Output<?> value = of.get(0);
        int[] sizes = sizes(value);
        DatasetSample s = new DatasetSample(inner, job, number, value, sizes);
        s.table = source.table == null ? null : of.get(of.size() - 1);
        @Nullable Output<?> label = hasLabel ? of.get(1) : null;
        if (!isFlat) {
            label = enter(s, label);
        }
        for (String line : verbs(isFlat)) {
            if (!isStructure(line)) {
                GraphVerbs.apply(s, line);
            }
        }
        if (isFlat) {
            leave(s);
        }
        List<Output<?>> results = new ArrayList<>();
        results.add(inner.op("Identity", s.value));
        if (label != null) {
            results.add(inner.op("Identity", label));
        }
        if (!isFlat) {
            results.add(inner.op("Identity", number));
        }
        return results;
    }

    private static int[] sizes(Output<?> value) {
        Shape shape = value.shape();
        int[] sizes = new int[shape.isUnknown() ? 0 : shape.numDimensions()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = (int) shape.get(i);
        }
        return sizes;
    }

    private static Output<?> number(Ops inner, Output<?> value) {
        return value.shape().numDimensions() == 0
                ? value
                : inner.op(
                        "StridedSlice",
                        List.of(value, inner.ints(0), inner.ints(1), inner.ints(1)),
                        "shrink_axis_mask",
                        1);
    }

    /** Parses records and runs generators; returns the label, or null if there is none. */
    private @Nullable Output<?> enter(DatasetSample s, @Nullable Output<?> given) {
        Ops inner = s.ops;
        Output<?> label = given;
        if (source.isRecords()) {
            label = Records.parse(s);
        } else if (job.text("source").equals("generated_waves")) {
            int[] sizes = job.wholes("element");
            s.host("waves " + sizes[0], DataType.DT_FLOAT, sizes);
        } else if (job.text("source").equals("generated_sequences")) {
            String[] bounds = lengths();
            int width = job.wholes("element")[1];
            s.host("sequences " + bounds[1] + " " + bounds[2] + " " + width, DataType.DT_FLOAT, -1, width);
        }
        if (label == null && !job.text("labels").equals("input")) {
            Output<?> classes = inner.long1(job.whole("classes"));
            label = inner.op("FloorMod", s.number, classes);
        }
        return label == null ? null : inner.cast(label, DataType.DT_INT32);
    }

    private String[] lengths() {
        return job.list("ops").stream()
                .filter(line -> line.startsWith("length "))
                .findFirst()
                .orElseThrow()
                .split(" ", -1);
    }

    /** True for words that describe the dataset's structure, and for lengths that a generator has already drawn. */
    private boolean isStructure(String line) {
        String word = line.split(" ", -1)[0];
        return STRUCTURE.contains(word)
                || (word.equals("length") && job.text("source").equals("generated_sequences"));
    }

    /** Encodes sequences and sparse samples as one value each, because their sizes vary. */
    private void leave(DatasetSample s) {
        Ops inner = s.ops;
        if (hasVerb("ragged")) {
            s.value = inner.op(
                    "RaggedTensorToVariant",
                    List.of(List.of(), s.value),
                    "batched_input",
                    false,
                    "Tsplits",
                    DataType.DT_INT64);
        } else if (hasVerb("sparsify")) {
            Output<?> where = inner.op("Where", inner.op("NotEqual", s.value, inner.number(0)));
            Output<?> values = inner.op("GatherNd", s.value, where);
            Output<?> shape = inner.op("Shape", List.of(s.value), "out_type", DataType.DT_INT64);
            s.value = inner.op("SerializeSparse", List.of(where, values, shape), "out_type", DataType.DT_VARIANT);
        }
    }

    /** Transformations of whole batches. */
    private Flow batches(Flow flow) {
        List<String> all = job.list("ops");
        boolean isMasked = all.contains("batch") && isBehindBatch("block_mask", all);
        if (!hasVerb("ragged_to_dense") && !hasVerb("sparsify") && !isMasked) {
            return flow;
        }
        return flow.map("map_batch", job.whole("parallel_calls"), List.of(), (inner, of) -> {
            List<Output<?>> results = new ArrayList<>();
            if (hasVerb("ragged_to_dense")) {
                results.add(dense(inner, of.get(0)));
            } else if (hasVerb("sparsify")) {
                Operation parts = inner.add("DeserializeSparse", List.of(of.get(0)), "dtype", DataType.DT_FLOAT);
                for (int i = 0; i < 3; i++) {
                    results.add(inner.op("Identity", parts.output(i)));
                }
            } else {
                results.add(inner.op("Identity", of.get(0)));
            }
            of.subList(1, of.size()).forEach(one -> results.add(inner.op("Identity", one)));
            if (isMasked) {
                results.add(inner.checkerboard(job.wholes("input")[0]));
            }
            return results;
        });
    }

    private static boolean isBehindBatch(String name, List<String> all) {
        return all.subList(all.indexOf("batch"), all.size()).contains(name);
    }

    private Output<?> dense(Ops inner, Output<?> ragged) {
        Operation parts = inner.add(
                "RaggedTensorFromVariant",
                List.of(ragged),
                "input_ragged_rank",
                0,
                "output_ragged_rank",
                1,
                "Tvalues",
                DataType.DT_FLOAT,
                "Tsplits",
                DataType.DT_INT64);
        int width = job.wholes("element")[1];
        Output<?> made = inner.op(
                "RaggedTensorToTensor",
                List.of(
                        inner.longs(job.whole("batch"), -1, width),
                        parts.output(1),
                        inner.number(0),
                        List.of(parts.output(0))),
                "row_partition_types",
                Records.names("ROW_SPLITS"));
        return inner.reshaped(made, job.whole("batch"), -1, width);
    }

    /**
     * Copies the iterator's next batch to a framework buffer, on the step's device if the workload prefetches to the
     * device. Waiting for input is therefore not part of a step.
     */
    private PipelineBatch stage(Flow flow) {
        ops.scope("input");
        Object[] of = {"output_types", Library.types(flow.types), "output_shapes", Library.shapes(flow.shapes)};
        Output<?> iterator = ops.op("IteratorV2", List.of(), with(of, "shared_name", "input", "container", ""));
        start = ops.add("MakeIterator", List.of(flow.set, iterator));
        Operation got = ops.add("IteratorGetNext", List.of(iterator), of);
        List<Output<?>> parts = new ArrayList<>();
        for (int i = 0; i < flow.types.size(); i++) {
            parts.add(got.output(i));
        }
        boolean isAhead = job.flag("gpu") && job.flag("prefetch_to_device");
        ops.device(isAhead ? "/device:GPU:0" : PROCESSOR);
        next = ops.add("Stage", List.of(parts), "shared_name", "batch");
        ops.scope("feed");
        Operation taken = ops.add("Unstage", List.of(), "dtypes", Library.types(flow.types), "shared_name", "batch");
        ops.device("");
        List<Output<?>> all = new ArrayList<>();
        for (int i = 0; i < flow.types.size(); i++) {
            all.add(taken.output(i));
        }
        return new PipelineBatch(ops, job, all, flow.shapes);
    }

    /** Starts reading. */
    public void begin(Session session) {
        source.begin(session, Objects.requireNonNull(start));
    }

    private static Object[] with(Object[] some, Object... more) {
        List<Object> all = new ArrayList<>(List.of(some));
        all.addAll(List.of(more));
        return all.toArray();
    }
}
