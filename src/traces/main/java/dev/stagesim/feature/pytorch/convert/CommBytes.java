package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.JsonCursor;
import dev.stagesim.feature.pytorch.trace.OpText;
import java.util.Locale;

/** Computes the size of a communication. */
final class CommBytes {
    private static final int ELEMENTS = 3;
    private static final int ELEMENT_BYTES = 4;

    private CommBytes() {}

    /** Sum of the sizes of all input tensors of an operator, including tensors in lists. */
    static long ofInputs(OpText text) {
        if (!text.has(OpText.Part.INPUT_VALUES) || !text.has(OpText.Part.INPUT_TYPES)) {
            return 0;
        }
        JsonCursor values = cursor(text, OpText.Part.INPUT_VALUES);
        JsonCursor types = cursor(text, OpText.Part.INPUT_TYPES);
        long bytes = 0;
        if (values.enter('[') && types.enter('[')) {
            while (values.more() && types.more()) {
                String type = types.text();
                if (type.startsWith("GenericList[Tensor") && values.enter('[')) {
                    while (values.more()) {
                        bytes += tensor(values);
                    }
                } else if (type.contains("Tensor")) {
                    bytes += tensor(values);
                } else {
                    values.skip();
                }
            }
        }
        return bytes;
    }

    static JsonCursor cursor(OpText text, OpText.Part part) {
        return new JsonCursor(text.json(), text.from(part), text.to(part));
    }

    /** Size of one tensor from its fields: id, storage, offset, elements, bytes per element, device. */
    private static long tensor(JsonCursor value) {
        if (!value.enter('[')) {
            value.skip();
            return 0;
        }
        long elements = 0;
        long bytes = 0;
        for (int i = 0; value.more(); i++) {
            if (i == ELEMENTS) {
                elements = value.whole(0);
            } else if (i == ELEMENT_BYTES) {
                bytes = value.whole(0);
            } else {
                value.skip();
            }
        }
        return elements * bytes;
    }

    /** Bytes per element of a profiler type name; 0 if unknown. */
    static int ofType(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        return switch (name) {
            case "double", "float64", "long", "int64", "complexfloat" -> 8;
            case "float", "float32", "int", "int32" -> 4;
            case "half", "float16", "bfloat16", "short", "int16" -> 2;
            case "byte", "char", "uint8", "int8", "bool" -> 1;
            case "complexdouble" -> 16;
            default -> name.startsWith("float8") ? 1 : 0;
        };
    }
}
