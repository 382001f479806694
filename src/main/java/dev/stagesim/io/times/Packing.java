package dev.stagesim.io.times;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.linear.LinearSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The form in which a cache keeps what training gave. */
public interface Packing<T> {
    /** Tables of random forests. */
    Packing<List<PredictionTable>> TABLES = new PackedTables();

    /** Forms of polynomials, which are fitted anew in no time. */
    Packing<Map<Operator, LinearSpec>> FORMS = new PackedForms();

    String fileName();

    byte[] pack(String origin, T trained);

    /** What was packed; empty when the bytes are damaged or were made from something else. */
    Optional<T> unpack(String origin, byte[] content);

    /** What people are told about it. */
    JsonValue summary(T trained);
}
