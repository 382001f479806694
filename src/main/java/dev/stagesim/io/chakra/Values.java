package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtKind;
import java.io.IOException;

/** Single values of every kind on the wire. */
final class Values {
    private Values() {}

    /** How a kind is encoded: the low bits of a tag. */
    static int wireType(EtKind kind) {
        return switch (kind) {
            case DOUBLE, FIXED64, SFIXED64 -> WireFormat.WIRETYPE_FIXED64;
            case FLOAT, FIXED32, SFIXED32 -> WireFormat.WIRETYPE_FIXED32;
            case STRING, BYTES -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
            default -> WireFormat.WIRETYPE_VARINT;
        };
    }

    /** What is wrong with a message, without the names of the library that found it. */
    static String reason(InvalidProtocolBufferException damaged) {
        String found = String.valueOf(damaged.getMessage());
        if (found.contains("ended unexpectedly")) {
            return "a field ends beyond its message";
        }
        if (found.contains("negative size")) {
            return "a field has a length of 2 GiB or more";
        }
        return found.replace("CodedInputStream encountered ", "there is ").replace("Protocol message", "the message");
    }

    static long whole(EtKind kind, CodedInputStream in) throws IOException {
        return switch (kind) {
            case INT32 -> in.readInt32();
            case INT64 -> in.readInt64();
            case UINT32 -> Integer.toUnsignedLong(in.readUInt32());
            case UINT64 -> in.readUInt64();
            case SINT32 -> in.readSInt32();
            case SINT64 -> in.readSInt64();
            case FIXED32 -> Integer.toUnsignedLong(in.readFixed32());
            case FIXED64 -> in.readFixed64();
            case SFIXED32 -> in.readSFixed32();
            case SFIXED64 -> in.readSFixed64();
            case BOOL -> in.readBool() ? 1 : 0;
            case DOUBLE, FLOAT, STRING, BYTES -> throw notWhole(kind);
        };
    }

    static void writeWhole(EtKind kind, long value, CodedOutputStream out) throws IOException {
        switch (kind) {
            case INT32 -> out.writeInt32NoTag((int) value);
            case UINT32 -> out.writeUInt32NoTag((int) value);
            case INT64, UINT64 -> out.writeUInt64NoTag(value);
            case SINT32 -> out.writeSInt32NoTag((int) value);
            case SINT64 -> out.writeSInt64NoTag(value);
            case FIXED32, SFIXED32 -> out.writeFixed32NoTag((int) value);
            case FIXED64, SFIXED64 -> out.writeFixed64NoTag(value);
            case BOOL -> out.writeBoolNoTag(value != 0);
            case DOUBLE, FLOAT, STRING, BYTES -> throw notWhole(kind);
        }
    }

    static int wholeSize(EtKind kind, long value) {
        return switch (kind) {
            case INT32 -> CodedOutputStream.computeInt32SizeNoTag((int) value);
            case UINT32 -> CodedOutputStream.computeUInt32SizeNoTag((int) value);
            case INT64, UINT64 -> CodedOutputStream.computeUInt64SizeNoTag(value);
            case SINT32 -> CodedOutputStream.computeSInt32SizeNoTag((int) value);
            case SINT64 -> CodedOutputStream.computeSInt64SizeNoTag(value);
            case FIXED32, SFIXED32 -> Integer.BYTES;
            case FIXED64, SFIXED64 -> Long.BYTES;
            case BOOL -> 1;
            case DOUBLE, FLOAT, STRING, BYTES -> throw notWhole(kind);
        };
    }

    static double real(EtKind kind, CodedInputStream in) throws IOException {
        return kind == EtKind.FLOAT ? in.readFloat() : in.readDouble();
    }

    static void writeReal(EtKind kind, double value, CodedOutputStream out) throws IOException {
        if (kind == EtKind.FLOAT) {
            out.writeFloatNoTag((float) value);
        } else {
            out.writeDoubleNoTag(value);
        }
    }

    static int realSize(EtKind kind) {
        return kind == EtKind.FLOAT ? Float.BYTES : Double.BYTES;
    }

    static byte[] blob(CodedInputStream in) throws IOException {
        return in.readByteArray();
    }

    /** Bytes of a field that is a text, with its tag; fields hold no empty text. */
    static int textSize(int field, String text) {
        return text.isEmpty() ? 0 : CodedOutputStream.computeStringSize(field, text);
    }

    static void writeText(int field, String text, CodedOutputStream out) throws IOException {
        if (!text.isEmpty()) {
            out.writeString(field, text);
        }
    }

    private static IllegalStateException notWhole(EtKind kind) {
        return new IllegalStateException(kind + " is no whole number");
    }
}
