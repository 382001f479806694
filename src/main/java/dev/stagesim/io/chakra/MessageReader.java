package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;

/** One message in memory: a coded stream that also hands out fields byte for byte. */
final class MessageReader {
    private static final byte[] NONE = {};

    private final byte[] bytes;
    private final CodedInputStream in;
    private final NameCache names;
    private int tagStart;

    MessageReader(byte[] bytes, int length, NameCache names) {
        this.bytes = bytes;
        this.names = names;
        in = CodedInputStream.newInstance(bytes, 0, length);
    }

    /** The coded stream, for values. */
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

    /** Skips the field whose tag was just read and adds its bytes to those of other unknown fields. */
    byte[] unknown(byte[] before, int tag) throws IOException {
        int from = tagStart;
        skip(tag);
        int count = in.getTotalBytesRead() - from;
        byte[] all = before.length == 0 ? new byte[count] : Arrays.copyOf(before, before.length + count);
        System.arraycopy(bytes, from, all, before.length, count);
        return all;
    }

    /** Reads numbers, packed or not, after those read before. */
    long[] unsigned(long[] before, int tag) throws IOException {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            long[] more = Arrays.copyOf(before, before.length + 1);
            more[before.length] = in.readUInt64();
            return more;
        }
        int outer = enter();
        // A number takes a byte at least; most here take one or two.
        long[] values = Arrays.copyOf(before, before.length + in.getBytesUntilLimit());
        int count = before.length;
        while (isMore()) {
            values[count++] = in.readUInt64();
        }
        leave(outer);
        return count == values.length ? values : Arrays.copyOf(values, count);
    }

    static byte[] none() {
        return NONE;
    }
}
