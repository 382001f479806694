package dev.stagesim.io.times;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.linear.LinearSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** File format of trained predictors in the cache. */
public interface Packing<T> {
    /** Tables of random forests. */
    Packing<List<PredictionTable>> TABLES = new PackedTables();

    /** Polynomials, which are fast to fit again. */
    Packing<Map<Operator, LinearSpec>> FORMS = new PackedForms();

    String fileName();

    byte[] pack(String origin, T trained);

    /** Returns the unpacked content, or empty if the bytes are damaged or have another origin. */
    Optional<T> unpack(String origin, byte[] content);

    /** Returns a description for the user. */
    JsonValue summary(T trained);
}
