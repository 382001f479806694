package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * A trace that is written many times, each time with identities moved by a constant.
 *
 * <p>What does not depend on identities is encoded once, so that a node costs little more than copying its bytes. May be used
 * by several threads at once.
 */
public final class EtTemplate {
    private static final int BUFFER = 1 << 16;
    private static final int LONGEST_VARINT = 10;

    private final byte[] metadata;
    private final long[] ids;
    private final long[][] ctrl;
    private final long[][] data;
    private final byte[] parts;
    private final int[] headEnd;
    private final int[] tailEnd;

    /** Encodes what stays the same. */
    public EtTemplate(EtMetadata metadata, List<EtNode> nodes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        EtWriter.of(bytes, metadata).close();
        this.metadata = bytes.toByteArray();
        ids = new long[nodes.size()];
        ctrl = new long[nodes.size()][];
        data = new long[nodes.size()][];
        headEnd = new int[nodes.size()];
        tailEnd = new int[nodes.size()];
        bytes.reset();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, BUFFER);
        for (int i = 0; i < nodes.size(); i++) {
            EtNode node = nodes.get(i);
            ids[i] = node.id();
            ctrl[i] = node.ctrlDeps();
            data[i] = node.dataDeps();
            NodeWriter.writeHead(node, out);
            headEnd[i] = out.getTotalBytesWritten();
            NodeWriter.writeTail(node, out);
            tailEnd[i] = out.getTotalBytesWritten();
        }
        out.flush();
        parts = bytes.toByteArray();
    }

    /** Number of nodes, and so the distance at which copies do not share identities when those count from 0. */
    public int nodes() {
        return ids.length;
    }

    /**
     * Writes a copy.
     *
     * @param shift what is added to every identity
     */
    public void write(OutputStream out, long shift) throws IOException {
        Sink sink = new Sink(out);
        sink.bytes(metadata, 0, metadata.length);
        int from = 0;
        for (int i = 0; i < ids.length; i++) {
            long id = ids[i] + shift;
            int ctrlSize = packedSize(ctrl[i], shift);
            int dataSize = packedSize(data[i], shift);
            int size = (id == 0 ? 0 : 1 + varintSize(id))
                    + tailEnd[i]
                    - from
                    + framedSize(ctrlSize)
                    + framedSize(dataSize);
            sink.room(size + LONGEST_VARINT);
            sink.varint(size);
            if (id != 0) {
                sink.varint(NodeWriter.ID << 3);
                sink.varint(id);
            }
            sink.bytes(parts, from, headEnd[i]);
            sink.deps(NodeWriter.CTRL_DEPS, ctrlSize, ctrl[i], shift);
            sink.deps(NodeWriter.DATA_DEPS, dataSize, data[i], shift);
            sink.bytes(parts, headEnd[i], tailEnd[i]);
            from = tailEnd[i];
        }
        sink.flush();
    }

    private static int packedSize(long[] values, long shift) {
        int size = 0;
        for (long value : values) {
            size += varintSize(value + shift);
        }
        return size;
    }

    private static int framedSize(int size) {
        return size == 0 ? 0 : 1 + varintSize(size) + size;
    }

    private static int varintSize(long value) {
        return (Long.SIZE + 6 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    /** Bytes on their way to a stream. */
    private static final class Sink {
        private final OutputStream out;
        private byte[] buffer = new byte[BUFFER];
        private int filled;

        Sink(OutputStream out) {
            this.out = out;
        }

        void room(int count) throws IOException {
            if (filled + count > buffer.length) {
                flush();
                if (count > buffer.length) {
                    buffer = Arrays.copyOf(buffer, count);
                }
            }
        }

        void flush() throws IOException {
            out.write(buffer, 0, filled);
            filled = 0;
        }

        void varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                buffer[filled++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            buffer[filled++] = (byte) rest;
        }

        void bytes(byte[] source, int from, int to) throws IOException {
            room(to - from);
            System.arraycopy(source, from, buffer, filled, to - from);
            filled += to - from;
        }

        void deps(int field, int size, long[] values, long shift) {
            if (size > 0) {
                varint(field << 3 | 2);
                varint(size);
                for (long value : values) {
                    varint(value + shift);
                }
            }
        }
    }
}
