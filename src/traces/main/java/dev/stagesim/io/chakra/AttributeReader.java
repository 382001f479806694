package dev.stagesim.io.chakra;

import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads attributes: name, documentation, and one of thirty value fields. */
final class AttributeReader {
    private static final int NAME = 1;
    private static final int DOC = 2;
    private static final int VALUES = 1;
    private static final EtValue UNSET = new EtValue.Unset();

    private AttributeReader() {}

    /** Reads an attribute field of the message. The caller has already read the tag. */
    static EtAttribute read(MessageReader from) throws IOException {
        int outer = from.enter();
        String name = "";
        String doc = "";
        EtValue value = UNSET;
        Pieces pieces = new Pieces(EtKind.STRING);
        boolean isList = false;
        MessageReader.Unknown unknown = new MessageReader.Unknown();
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            int field = WireFormat.getTagFieldNumber(tag);
            int wire = WireFormat.getTagWireType(tag);
            if (field == NAME && wire == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                name = from.name();
            } else if (field == DOC && wire == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                doc = from.text();
            } else if (holdsValue(field, wire)) {
                EtKind kind = EtKind.ofField(field);
                if (EtKind.isList(field)) {
                    // Several occurrences of one list field form one list.
                    pieces = isList && pieces.kind == kind ? pieces : new Pieces(kind);
                    pieces.read(from);
                    isList = true;
                } else {
                    value = scalar(kind, from);
                    isList = false;
                }
            } else {
                from.unknown(unknown, tag);
            }
        }
        from.leave(outer);
        return new EtAttribute(name, doc, isList ? pieces.list() : value, unknown.toArray());
    }

    private static boolean holdsValue(int field, int wire) {
        if (field < EtKind.FIRST_FIELD || field > EtKind.LAST_FIELD) {
            return false;
        }
        return EtKind.isList(field)
                ? wire == WireFormat.WIRETYPE_LENGTH_DELIMITED
                : wire == Values.wireType(EtKind.ofField(field));
    }

    private static EtValue scalar(EtKind kind, MessageReader from) throws IOException {
        if (kind.isWhole()) {
            return new EtValue.Whole(kind, Values.whole(kind, from.in()));
        }
        if (kind.isReal()) {
            return new EtValue.Real(kind, Values.real(kind, from.in()));
        }
        return kind == EtKind.STRING
                ? new EtValue.Text(from.text())
                : new EtValue.Blob(from.in().readByteArray());
    }

    /** Accumulates the pieces of a list. */
    private static final class Pieces {
        private final EtKind kind;
        private final MessageReader.Numbers numbers = new MessageReader.Numbers();
        private final List<String> texts = new ArrayList<>();
        private final List<EtValue.Blob> blobs = new ArrayList<>();

        Pieces(EtKind kind) {
            this.kind = kind;
        }

        void read(MessageReader from) throws IOException {
            int outer = from.enter();
            for (int tag = from.tag(); tag != 0; tag = from.tag()) {
                if (kind.isWhole() || kind.isReal()) {
                    numbers(from, tag);
                } else if (tag != WireFormat.WIRETYPE_LENGTH_DELIMITED + (VALUES << 3)) {
                    from.skip(tag);
                } else if (kind == EtKind.STRING) {
                    texts.add(from.text());
                } else {
                    blobs.add(new EtValue.Blob(from.in().readByteArray()));
                }
            }
            from.leave(outer);
        }

        private void numbers(MessageReader from, int tag) throws IOException {
            if (!isValues(tag, kind)) {
                from.skip(tag);
            } else if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                number(from);
            } else {
                int outer = from.enter();
                while (from.isMore()) {
                    number(from);
                }
                from.leave(outer);
            }
        }

        private void number(MessageReader from) throws IOException {
            numbers.add(
                    kind.isWhole()
                            ? Values.whole(kind, from.in())
                            : Double.doubleToRawLongBits(Values.real(kind, from.in())));
        }

        EtValue list() {
            if (kind.isWhole()) {
                return new EtValue.Wholes(kind, numbers.toArray());
            }
            if (kind.isReal()) {
                return new EtValue.Reals(
                        kind,
                        Arrays.stream(numbers.toArray())
                                .mapToDouble(Double::longBitsToDouble)
                                .toArray());
            }
            return kind == EtKind.STRING ? new EtValue.Texts(texts) : new EtValue.Blobs(blobs);
        }
    }

    private static boolean isValues(int tag, EtKind kind) {
        int wire = WireFormat.getTagWireType(tag);
        return WireFormat.getTagFieldNumber(tag) == VALUES
                && (wire == WireFormat.WIRETYPE_LENGTH_DELIMITED || wire == Values.wireType(kind));
    }
}
