package dev.stagesim.engine.tf.input;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.graph.Ops;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.proto.DataType;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.TString;

/** Source of samples: tensors in memory, a record file, a generator on the host, or numbers. */
final class Source {
    private static final String[] SENTENCES = {
        "The quick model trains", "A slow graph waits", "Data flows through the graph", "The model waits for data",
        "A quick step", "Slow data", "The graph trains a model", "Steps follow steps"
    };
    private static final String[] WORDS = {"the", "quick", "model", "trains", "a", "slow", "graph", "data"};
    private static final long ENDLESS = Long.MAX_VALUE;

    /** Resource of the word table, or null if there is none. */
    @Nullable
    Output<?> table;
    /** Operations to run before the first element is read. */
    final List<Operation> first = new ArrayList<>();

    private final Job job;
    private final Ops ops;
    private final Output<?> seed;
    /** Placeholder of the texts, or null if the elements are not texts. */
    private @Nullable Output<?> texts;

    Source(Job job, Ops ops) {
        this.job = job;
        this.ops = ops;
        // The seed is fed when reading begins. With a constant, the framework would draw all samples during graph
        // preparation.
        seed = ops.placeholder("source/seed", DataType.DT_INT64, 2);
    }

    private String kind() {
        return job.text("source");
    }

    boolean isRecords() {
        return kind().startsWith("record_");
    }

    /**
     * In-memory elements consist of value, label and number; records of text and number; other elements are numbers.
     */
    boolean isHeld() {
        return !isRecords() && !isNumbers();
    }

    boolean isNumbers() {
        return kind().equals("range") || kind().startsWith("generated_");
    }

    /** True if in-memory values have labels. */
    boolean hasLabels() {
        return isHeld() && !job.text("labels").equals("input");
    }

    Flow flow(Path folder) throws IOException {
        long count = job.whole("elements");
        Output<?> end = ops.long1(count == 0 ? ENDLESS : count);
        if (isNumbers()) {
            return Flow.range(ops, ops.long1(0), end);
        }
        if (isRecords()) {
            String file = new Records(job).write(folder).toString();
            return Flow.records(ops, file).with(Flow.range(ops, ops.long1(0), end));
        }
        return held(count);
    }

    private Flow held(long count) {
        int[] sizes = job.wholes("element");
        List<Output<?>> parts = new ArrayList<>();
        List<Shape> shapes = new ArrayList<>();
        boolean isText = kind().equals("bytes") || kind().equals("sentences");
        parts.add(isText ? texts((int) count) : drawn(count, sizes));
        shapes.add(isText ? Shape.scalar() : Ops.shape(sizes));
        if (hasLabels()) {
            boolean isEach = job.text("labels").equals("random_per_token");
            int[] each = isEach ? new int[] {sizes[0]} : new int[0];
            parts.add(whole(count, each, 3, 0, job.whole("classes")));
            shapes.add(Ops.shape(each));
        }
        parts.add(ops.op("Range", List.of(ops.long1(0), ops.long1(count), ops.long1(1))));
        shapes.add(Shape.scalar());
        return Flow.slices(ops, parts, shapes);
    }

    private Output<?> texts(int count) {
        Output<?> placeholder = ops.placeholder("source/texts", DataType.DT_STRING, count);
        texts = placeholder;
        return placeholder;
    }

    private Output<?> drawn(long count, int... sizes) {
        return switch (kind()) {
            case "tokens" -> whole(count, sizes, 1, 1, job.whole("vocabulary"));
            case "normal" -> real("StatelessRandomNormal", count, sizes);
            default -> real("StatelessRandomUniform", count, sizes);
        };
    }

    private Output<?> real(String type, long count, int... sizes) {
        return ops.op(type, List.of(ops.ints(all(count, sizes)), seed), "dtype", DataType.DT_FLOAT);
    }

    private Output<?> whole(long count, int[] sizes, int place, int least, int bound) {
        Output<?> at = ops.add(seed, ops.longs(0, place));
        return ops.op(
                "StatelessRandomUniformInt",
                List.of(ops.ints(all(count, sizes)), at, ops.whole(least), ops.whole(bound)),
                "dtype",
                DataType.DT_INT32);
    }

    private static int[] all(long count, int... sizes) {
        int[] all = new int[sizes.length + 1];
        all[0] = (int) count;
        System.arraycopy(sizes, 0, all, 1, sizes.length);
        return all;
    }

    /** Table from words to numbers; unknown words map to 0. */
    void words() {
        Output<?> words = ops.op(
                "HashTableV2",
                List.of(),
                "key_dtype",
                DataType.DT_STRING,
                "value_dtype",
                DataType.DT_INT64,
                "shared_name",
                "words");
        long[] numbers = new long[WORDS.length];
        Arrays.setAll(numbers, i -> i);
        table = words;
        first.add(ops.add("LookupTableImportV2", List.of(words, ops.texts(WORDS), ops.longs(numbers))));
    }

    /** Feeds tensors in memory and from the host, and runs the operation that starts reading. */
    void begin(Session session, Operation start) {
        for (Operation one : first) {
            session.runner().addTarget(one.name()).run().close();
        }
        Session.Runner runner = session.runner().addTarget(start.name());
        try (TInt64 at = TInt64.vectorOf(job.whole("seed"), 1)) {
            runner.feed(seed.op().name(), at);
            if (texts == null) {
                runner.run().close();
                return;
            }
            try (TString all = texts()) {
                runner.feed(texts.op().name(), all).run().close();
            }
        }
    }

    private TString texts() {
        int count = job.whole("elements");
        if (kind().equals("sentences")) {
            String[] all = new String[count];
            Arrays.setAll(all, i -> SENTENCES[i % SENTENCES.length]);
            return TString.vectorOf(all);
        }
        int size = Arrays.stream(job.wholes("element")).reduce(1, (a, b) -> a * b);
        SplittableRandom random = new SplittableRandom(job.whole("seed"));
        byte[][] all = new byte[count][];
        Arrays.setAll(all, i -> Records.bytes(size, random));
        return TString.tensorOfBytes(Shape.of(count), DataBuffers.ofObjects(all));
    }
}
