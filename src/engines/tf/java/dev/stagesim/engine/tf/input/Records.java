package dev.stagesim.engine.tf.input;

import com.google.protobuf.ByteString;
import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Ops;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.BytesList;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.Example;
import org.tensorflow.proto.Feature;
import org.tensorflow.proto.Features;
import org.tensorflow.proto.Int64List;

/** A record file in the framework's format: examples with an image or tokens, and a label. */
final class Records {
    private static final String VALUE = "value";
    private static final String LABEL = "label";
    private static final int MASK_DELTA = 0xa282ead8;
    private static final int BYTE = 256;

    private final Job job;
    private final SplittableRandom random;

    Records(Job job) {
        this.job = job;
        random = new SplittableRandom(job.whole("seed"));
    }

    private boolean isTokens() {
        return job.text("source").equals("record_tokens");
    }

    /** Writes the file. */
    Path write(Path folder) throws IOException {
        Path file = folder.resolve("samples.tfrecord");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < job.whole("elements"); i++) {
                write(out, example().toByteArray());
            }
        }
        return file;
    }

    private static void write(OutputStream out, byte[] record) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        head.putLong(record.length);
        head.putInt(masked(head.array(), Long.BYTES));
        out.write(head.array());
        out.write(record);
        out.write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(masked(record, record.length))
                .array());
    }

    /** Masked checksum of the TFRecord format, which avoids problems with checksums of data that contain checksums. */
    private static int masked(byte[] bytes, int count) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, count);
        return Integer.rotateRight((int) sum.getValue(), 15) + MASK_DELTA;
    }

    private Example example() {
        Feature.Builder value = Feature.newBuilder();
        int size = 1;
        for (int one : job.wholes("element")) {
            size *= one;
        }
        if (isTokens()) {
            Int64List.Builder tokens = Int64List.newBuilder();
            int count = size / 4 + random.nextInt(size - size / 4 + 1);
            for (int i = 0; i < count; i++) {
                tokens.addValue(1L + random.nextInt(job.whole("vocabulary") - 1));
            }
            value.setInt64List(tokens);
        } else {
            value.setBytesList(BytesList.newBuilder().addValue(ByteString.copyFrom(bytes(size, random))));
        }
        Int64List label = Int64List.newBuilder()
                .addValue(random.nextInt(job.whole("classes")))
                .build();
        return Example.newBuilder()
                .setFeatures(Features.newBuilder()
                        .putFeature(VALUE, value.build())
                        .putFeature(
                                LABEL, Feature.newBuilder().setInt64List(label).build()))
                .build();
    }

    static byte[] bytes(int size, SplittableRandom random) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) random.nextInt(BYTE);
        }
        return bytes;
    }

    /** Parses a record and returns its label. Tokens are sparse in a record and dense afterwards. */
    static Output<?> parse(DatasetSample s) {
        Ops ops = s.ops;
        boolean isTokens = s.job.text("source").equals("record_tokens");
        java.util.List<DataType> sparse = isTokens ? java.util.List.of(DataType.DT_INT64) : java.util.List.of();
        java.util.List<Output<?>> defaults = isTokens
                ? java.util.List.of(ops.none(DataType.DT_INT64))
                : java.util.List.of(ops.none(DataType.DT_STRING), ops.none(DataType.DT_INT64));
        org.tensorflow.Operation parsed = ops.add(
                "ParseSingleExample",
                java.util.List.of(s.value, defaults),
                "num_sparse",
                sparse.size(),
                "sparse_keys",
                names(isTokens ? new String[] {VALUE} : new String[0]),
                "dense_keys",
                names(isTokens ? new String[] {LABEL} : new String[] {VALUE, LABEL}),
                "sparse_types",
                Library.types(sparse),
                "dense_shapes",
                Library.shapes(java.util.Collections.nCopies(defaults.size(), Shape.scalar())));
        if (!isTokens) {
            s.value = parsed.output(0);
            return parsed.output(1);
        }
        int steps = s.job.wholes("element")[0];
        Output<?> dense = ops.op(
                "SparseToDense", java.util.List.of(parsed.output(0), ops.longs(steps), parsed.output(1), ops.long1(0)));
        s.set(ops.reshape(ops.cast(dense, DataType.DT_INT32), steps), steps);
        return parsed.output(3);
    }

    static org.tensorflow.proto.AttrValue names(String... names) {
        org.tensorflow.proto.AttrValue.ListValue.Builder all = org.tensorflow.proto.AttrValue.ListValue.newBuilder();
        for (String name : names) {
            all.addS(ByteString.copyFromUtf8(name));
        }
        return org.tensorflow.proto.AttrValue.newBuilder().setList(all).build();
    }
}
