package dev.stagesim.io.chakra;

import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtValue;
import java.util.List;

/** Writes attributes like the reference: fields in numeric order, packed lists, and values even if zero. */
final class AttributeWriter {
    private static final int NAME = 1;
    private static final int DOC = 2;
    private static final int VALUES = 1;

    private AttributeWriter() {}

    static void write(int field, EtAttribute attribute, WireWriter out) {
        int begun = out.begin(field);
        out.nonEmpty(NAME, attribute.name());
        out.nonEmpty(DOC, attribute.doc());
        EtValue value = attribute.value();
        EtKind kind = value.kind();
        if (value.isList()) {
            list(kind, value.entries(), out);
        } else if (!(value instanceof EtValue.Unset)) {
            out.tag(kind.field(), Values.wireType(kind));
            single(value, out);
        }
        out.raw(attribute.unknown());
        out.end(begun);
    }

    /**
     * Numbers share one packed field, which is omitted for an empty list; strings and byte strings use one field per
     * entry.
     */
    private static void list(EtKind kind, List<EtValue> entries, WireWriter out) {
        boolean isPacked = Values.wireType(kind) != WireFormat.WIRETYPE_LENGTH_DELIMITED && !entries.isEmpty();
        int begun = out.begin(kind.field() + 1);
        int packed = isPacked ? out.begin(VALUES) : 0;
        for (EtValue entry : entries) {
            if (!isPacked) {
                out.tag(VALUES, WireFormat.WIRETYPE_LENGTH_DELIMITED);
            }
            single(entry, out);
        }
        if (isPacked) {
            out.end(packed);
        }
        out.end(begun);
    }

    private static void single(EtValue value, WireWriter out) {
        if (value instanceof EtValue.Whole whole) {
            Values.writeWhole(whole.kind(), whole.value(), out);
        } else if (value instanceof EtValue.Real real) {
            Values.writeReal(real.kind(), real.value(), out);
        } else if (value instanceof EtValue.Text text) {
            out.text(text.value());
        } else if (value instanceof EtValue.Blob blob) {
            out.framed(blob.value());
        }
    }
}
