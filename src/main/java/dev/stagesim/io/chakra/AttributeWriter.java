package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtValue;
import java.io.IOException;

/** Writes attributes as the reference does: fields in the order of their numbers, lists packed, values even when zero. */
final class AttributeWriter {
    private static final int NAME = 1;
    private static final int DOC = 2;
    private static final int VALUES = 1;

    private AttributeWriter() {}

    /** Bytes of an attribute without its tag and length. */
    static int size(EtAttribute attribute) {
        return Values.textSize(NAME, attribute.name())
                + Values.textSize(DOC, attribute.doc())
                + valueSize(attribute.value())
                + attribute.unknown().length;
    }

    private static int valueSize(EtValue value) {
        if (value instanceof EtValue.Whole whole) {
            return CodedOutputStream.computeTagSize(whole.kind().field())
                    + Values.wholeSize(whole.kind(), whole.value());
        }
        if (value instanceof EtValue.Real real) {
            return CodedOutputStream.computeTagSize(real.kind().field()) + Values.realSize(real.kind());
        }
        if (value instanceof EtValue.Text text) {
            return CodedOutputStream.computeStringSize(EtKind.STRING.field(), text.value());
        }
        if (value instanceof EtValue.Blob blob) {
            return CodedOutputStream.computeByteArraySize(EtKind.BYTES.field(), blob.value());
        }
        if (value instanceof EtValue.Unset) {
            return 0;
        }
        return CodedOutputStream.computeTagSize(listField(value)) + framed(listSize(value));
    }

    private static int framed(int size) {
        return CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }

    private static int listField(EtValue list) {
        EtKind kind = EtKind.BYTES;
        if (list instanceof EtValue.Wholes wholes) {
            kind = wholes.kind();
        } else if (list instanceof EtValue.Reals reals) {
            kind = reals.kind();
        } else if (list instanceof EtValue.Texts) {
            kind = EtKind.STRING;
        }
        return kind.field() + 1;
    }

    /** Bytes of the message that holds a list. */
    private static int listSize(EtValue list) {
        int size = 0;
        if (list instanceof EtValue.Texts texts) {
            for (String text : texts.values()) {
                size += CodedOutputStream.computeStringSize(VALUES, text);
            }
        } else if (list instanceof EtValue.Blobs blobs) {
            for (EtValue.Blob blob : blobs.values()) {
                size += CodedOutputStream.computeByteArraySize(VALUES, blob.value());
            }
        } else {
            int packed = packedSize(list);
            size = packed == 0 ? 0 : 1 + framed(packed);
        }
        return size;
    }

    private static int packedSize(EtValue list) {
        int size = 0;
        if (list instanceof EtValue.Wholes wholes) {
            for (long value : wholes.values()) {
                size += Values.wholeSize(wholes.kind(), value);
            }
        } else if (list instanceof EtValue.Reals reals) {
            size = reals.values().length * Values.realSize(reals.kind());
        }
        return size;
    }

    /** Writes what {@link #size} counts. */
    static void write(EtAttribute attribute, CodedOutputStream out) throws IOException {
        Values.writeText(NAME, attribute.name(), out);
        Values.writeText(DOC, attribute.doc(), out);
        EtValue value = attribute.value();
        if (value instanceof EtValue.Whole whole) {
            out.writeTag(whole.kind().field(), Values.wireType(whole.kind()));
            Values.writeWhole(whole.kind(), whole.value(), out);
        } else if (value instanceof EtValue.Real real) {
            out.writeTag(real.kind().field(), Values.wireType(real.kind()));
            Values.writeReal(real.kind(), real.value(), out);
        } else if (value instanceof EtValue.Text text) {
            out.writeString(EtKind.STRING.field(), text.value());
        } else if (value instanceof EtValue.Blob blob) {
            out.writeByteArray(EtKind.BYTES.field(), blob.value());
        } else if (!(value instanceof EtValue.Unset)) {
            out.writeTag(listField(value), WireFormat.WIRETYPE_LENGTH_DELIMITED);
            out.writeUInt32NoTag(listSize(value));
            writeList(value, out);
        }
        out.writeRawBytes(attribute.unknown());
    }

    private static void writeList(EtValue list, CodedOutputStream out) throws IOException {
        if (list instanceof EtValue.Texts texts) {
            for (String text : texts.values()) {
                out.writeString(VALUES, text);
            }
        } else if (list instanceof EtValue.Blobs blobs) {
            for (EtValue.Blob blob : blobs.values()) {
                out.writeByteArray(VALUES, blob.value());
            }
        } else {
            int packed = packedSize(list);
            if (packed > 0) {
                out.writeTag(VALUES, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                out.writeUInt32NoTag(packed);
                writePacked(list, out);
            }
        }
    }

    private static void writePacked(EtValue list, CodedOutputStream out) throws IOException {
        if (list instanceof EtValue.Wholes wholes) {
            for (long value : wholes.values()) {
                Values.writeWhole(wholes.kind(), value, out);
            }
        } else if (list instanceof EtValue.Reals reals) {
            for (double value : reals.values()) {
                Values.writeReal(reals.kind(), value, out);
            }
        }
    }
}
