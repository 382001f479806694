package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtKind;
import java.io.IOException;

/** Wire format of single values of every kind. */
final class Values {
    private Values() {}

    /** Returns the wire type of a kind: the low bits of the tag. */
    static int wireType(EtKind kind) {
        return switch (kind) {
            case DOUBLE, FIXED64, SFIXED64 -> WireFormat.WIRETYPE_FIXED64;
            case FLOAT, FIXED32, SFIXED32 -> WireFormat.WIRETYPE_FIXED32;
            case STRING, BYTES -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
            default -> WireFormat.WIRETYPE_VARINT;
        };
    }

    /** Describes the defect of a message without the class names of the protobuf library. */
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

    static void writeWhole(EtKind kind, long value, WireWriter out) {
        switch (kind) {
            case INT32 -> out.varint(value << 32 >> 32);
            case UINT32 -> out.varint(value & 0xffffffffL);
            case INT64, UINT64 -> out.varint(value);
            case SINT32 -> out.varint(((int) value << 1 ^ (int) value >> 31) & 0xffffffffL);
            case SINT64 -> out.varint(value << 1 ^ value >> 63);
            case FIXED32, SFIXED32 -> out.fixed(value, Integer.BYTES);
            case FIXED64, SFIXED64 -> out.fixed(value, Long.BYTES);
            case BOOL -> out.varint(value != 0 ? 1 : 0);
            case DOUBLE, FLOAT, STRING, BYTES -> throw notWhole(kind);
        }
    }

    static double real(EtKind kind, CodedInputStream in) throws IOException {
        return kind == EtKind.FLOAT ? in.readFloat() : in.readDouble();
    }

    static void writeReal(EtKind kind, double value, WireWriter out) {
        if (kind == EtKind.FLOAT) {
            out.fixed(Float.floatToRawIntBits((float) value), Float.BYTES);
        } else {
            out.fixed(Double.doubleToRawLongBits(value), Double.BYTES);
        }
    }

    private static IllegalStateException notWhole(EtKind kind) {
        return new IllegalStateException(kind + " is no whole number");
    }
}
