package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;

/** One message in memory: a coded stream that also hands out fields byte for byte. */
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

    /** Byte of the message that is read next. */
    int position() {
        return in.getTotalBytesRead();
    }

    /** Next tag, or 0 at the end of the message or of the limit. */
    int tag() throws IOException {
        tagStart = in.getTotalBytesRead();
        return in.readTag();
    }

    String text() throws IOException {
        return in.readStringRequireUtf8();
    }

    /** A text of which a trace has few different ones. */
    String name() throws IOException {
        int start = in.getTotalBytesRead();
        // Short texts have their length in one byte.
        int length = start < bytes.length ? bytes[start] : -1;
        if (length < 0 || length > NameCache.LONGEST) {
            return in.readStringRequireUtf8();
        }
        in.skipRawBytes(length + 1);
        return names.get(bytes, start + 1, length);
    }

    /** Begins a message within this one; the result goes to {@link #leave}. */
    int enter() throws IOException {
        return in.pushLimit(in.readRawVarint32());
    }

    void leave(int outer) {
        in.popLimit(outer);
    }

    /** Whether the message that was entered has bytes left. */
    boolean isMore() {
        return in.getBytesUntilLimit() > 0;
    }

    /** Skips the field whose tag was just read. */
    void skip(int tag) throws IOException {
        if (!in.skipField(tag)) {
            throw new InvalidProtocolBufferException("a group ends that did not begin");
        }
    }

    /** Numbers of a field that may come in many pieces. */
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

    /** Fields that the schema does not name, byte for byte. */
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

    /** Skips the field whose tag was just read and adds its bytes to those of other unknown fields. */
    void unknown(Unknown others, int tag) throws IOException {
        int from = tagStart;
        skip(tag);
        others.add(bytes, from, in.getTotalBytesRead());
    }

    /** Reads numbers, packed or not, after those read before. */
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
