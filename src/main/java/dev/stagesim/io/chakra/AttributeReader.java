package dev.stagesim.io.chakra;

import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads attributes: name, remark, and one of thirty fields with the value. */
final class AttributeReader {
    private static final int NAME = 1;
    private static final int DOC = 2;
    private static final int VALUES = 1;
    private static final EtValue UNSET = new EtValue.Unset();

    private AttributeReader() {}

    /** Reads an attribute that is a field of the message, its tag having been read. */
    static EtAttribute read(MessageReader from) throws IOException {
        int outer = from.enter();
        String name = "";
        String doc = "";
        EtValue value = UNSET;
        byte[] unknown = MessageReader.none();
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            int field = WireFormat.getTagFieldNumber(tag);
            int wire = WireFormat.getTagWireType(tag);
            if (field == NAME && wire == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                name = from.name();
            } else if (field == DOC && wire == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                doc = from.text();
            } else if (holdsValue(field, wire)) {
                value = EtKind.isList(field)
                        ? list(EtKind.ofField(field), value, from)
                        : scalar(EtKind.ofField(field), from);
            } else {
                unknown = from.unknown(unknown, tag);
            }
        }
        from.leave(outer);
        return new EtAttribute(name, doc, value, unknown);
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
        return kind == EtKind.STRING ? new EtValue.Text(from.text()) : new EtValue.Blob(Values.blob(from.in()));
    }

    /** Reads a list; one that comes in several pieces is one list. */
    private static EtValue list(EtKind kind, EtValue before, MessageReader from) throws IOException {
        int outer = from.enter();
        EtValue list;
        if (kind.isWhole()) {
            list = wholes(kind, before, from);
        } else if (kind.isReal()) {
            list = reals(kind, before, from);
        } else if (kind == EtKind.STRING) {
            List<String> texts = new ArrayList<>(before instanceof EtValue.Texts old ? old.values() : List.of());
            while (inValues(from)) {
                texts.add(from.text());
            }
            list = new EtValue.Texts(texts);
        } else {
            List<EtValue.Blob> blobs = new ArrayList<>(before instanceof EtValue.Blobs old ? old.values() : List.of());
            while (inValues(from)) {
                blobs.add(new EtValue.Blob(Values.blob(from.in())));
            }
            list = new EtValue.Blobs(blobs);
        }
        from.leave(outer);
        return list;
    }

    private static boolean inValues(MessageReader from) throws IOException {
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            if (tag == WireFormat.WIRETYPE_LENGTH_DELIMITED + (VALUES << 3)) {
                return true;
            }
            from.skip(tag);
        }
        return false;
    }

    private static EtValue wholes(EtKind kind, EtValue before, MessageReader from) throws IOException {
        long[] values = before instanceof EtValue.Wholes old && old.kind() == kind ? old.values() : new long[0];
        int count = values.length;
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            if (!isValues(tag, kind)) {
                from.skip(tag);
                continue;
            }
            boolean isPacked = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
            int outer = isPacked ? from.enter() : 0;
            boolean isMore = !isPacked || from.isMore();
            while (isMore) {
                values = count == values.length ? Arrays.copyOf(values, Math.max(8, 2 * count)) : values;
                values[count++] = Values.whole(kind, from.in());
                isMore = isPacked && from.isMore();
            }
            if (isPacked) {
                from.leave(outer);
            }
        }
        return new EtValue.Wholes(kind, Arrays.copyOf(values, count));
    }

    private static EtValue reals(EtKind kind, EtValue before, MessageReader from) throws IOException {
        double[] values = before instanceof EtValue.Reals old && old.kind() == kind ? old.values() : new double[0];
        int count = values.length;
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            if (!isValues(tag, kind)) {
                from.skip(tag);
                continue;
            }
            boolean isPacked = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
            int outer = isPacked ? from.enter() : 0;
            boolean isMore = !isPacked || from.isMore();
            while (isMore) {
                values = count == values.length ? Arrays.copyOf(values, Math.max(8, 2 * count)) : values;
                values[count++] = Values.real(kind, from.in());
                isMore = isPacked && from.isMore();
            }
            if (isPacked) {
                from.leave(outer);
            }
        }
        return new EtValue.Reals(kind, Arrays.copyOf(values, count));
    }

    private static boolean isValues(int tag, EtKind kind) {
        int wire = WireFormat.getTagWireType(tag);
        return WireFormat.getTagFieldNumber(tag) == VALUES
                && (wire == WireFormat.WIRETYPE_LENGTH_DELIMITED || wire == Values.wireType(kind));
    }
}
