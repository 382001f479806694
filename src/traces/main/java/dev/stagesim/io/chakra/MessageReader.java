package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;

/** Reads one message in memory, and can copy unknown fields byte by byte. */
final class MessageReader {
    private final byte[] bytes;
    private final CodedInputStream in;
    private final NameCache names;
    private int tagStart;

    MessageReader(byte[] bytes, int length, NameCache names) {
        this.bytes = bytes;
        this.names = names;
        in = CodedInputStream.newInstance(bytes, 0, length);
    }

    CodedInputStream in() {
        return in;
    }

    /** Offset of the next byte in the message. */
    int position() {
        return in.getTotalBytesRead();
    }

    /** Returns the next tag, or 0 at the end of the message or of the limit. */
    int tag() throws IOException {
        tagStart = in.getTotalBytesRead();
        return in.readTag();
    }

    String text() throws IOException {
        return in.readStringRequireUtf8();
    }

    /** Reads a string from a small set of values, using a cache. */
    String name() throws IOException {
        int start = in.getTotalBytesRead();
        // Short strings have a one-byte length.
        int length = start < bytes.length ? bytes[start] : -1;
        if (length < 0 || length > NameCache.MAX_BYTES) {
            return in.readStringRequireUtf8();
        }
        in.skipRawBytes(length + 1);
        return names.get(bytes, start + 1, length);
    }

    /** Enters a nested message; pass the result to {@link #leave}. */
    int enter() throws IOException {
        return in.pushLimit(in.readRawVarint32());
    }

    void leave(int outer) {
        in.popLimit(outer);
    }

    /** True if the entered message has bytes left. */
    boolean isMore() {
        return in.getBytesUntilLimit() > 0;
    }

    /** Skips the field of the last tag. */
    void skip(int tag) throws IOException {
        if (!in.skipField(tag)) {
            throw new InvalidProtocolBufferException("a group ends without a start");
        }
    }

    /** Accumulates the numbers of a field that may occur several times. */
    static final class Numbers {
        private static final long[] NONE = {};
        private long[] values = NONE;
        private int count;

        void add(long value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, Math.max(4, 2 * count));
            }
            values[count++] = value;
        }

        long[] toArray() {
            return count == values.length ? values : Arrays.copyOf(values, count);
        }
    }

    /** Fields unknown to the schema, as encoded. */
    static final class Unknown {
        private static final byte[] NONE = {};
        private byte[] all;
        private int count;

        Unknown() {
            this(NONE);
        }

        Unknown(byte[] first) {
            all = first;
            count = first.length;
        }

        private void add(byte[] from, int begin, int end) {
            if (count + end - begin > all.length) {
                all = Arrays.copyOf(all, Math.max(count + end - begin, count == 0 ? 0 : 2 * all.length));
            }
            System.arraycopy(from, begin, all, count, end - begin);
            count += end - begin;
        }

        byte[] toArray() {
            return count == all.length ? all : Arrays.copyOf(all, count);
        }
    }

    /** Skips the field of the last tag and appends its bytes to the unknown fields. */
    void unknown(Unknown others, int tag) throws IOException {
        int from = tagStart;
        skip(tag);
        others.add(bytes, from, in.getTotalBytesRead());
    }

    /** Appends numbers, packed or not. */
    void unsigned(Numbers numbers, int tag) throws IOException {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            numbers.add(in.readUInt64());
            return;
        }
        int outer = enter();
        while (isMore()) {
            numbers.add(in.readUInt64());
        }
        leave(outer);
    }
}
