package dev.stagesim.feature.pytorch.trace;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;

/** Schema versions of PyTorch execution traces. */
public final class Schemas {
    /** Versions that the reference links. */
    private static final List<String> LINKED = List.of(
            "1.0.1",
            "1.0.2-chakra.0.0.4",
            "1.0.3-chakra.0.0.4",
            "1.0.4-chakra.0.0.4",
            "1.1.0-chakra.0.0.4",
            "1.1.1-chakra.0.0.4");
    /** Versions that the reference converts. */
    private static final List<String> CONVERTED =
            List.of("1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4");

    private static final String RELABELLED = "1.1.1-chakra.1.0.0";

    private Schemas() {}

    /** Fails if the reference cannot link the trace. */
    public static void checkLinked(HostTrace trace) {
        refuse(LINKED, trace.source(), trace.header().schema());
    }

    /** Fails if the reference cannot convert the trace; otherwise adds a remark for an unknown version. */
    public static void check(PlusTrace trace, boolean isReference, List<String> remarks) {
        String schema = trace.header().schema();
        if (isReference) {
            refuse(CONVERTED, trace.source(), schema);
        } else if (!LINKED.contains(schema) && !schema.equals(RELABELLED)) {
            remarks.add("the schema " + (schema.isEmpty() ? "is not named" : schema + " is unknown")
                    + "; it is read as " + CONVERTED.get(CONVERTED.size() - 1));
        }
    }

    private static void refuse(List<String> known, String source, String schema) {
        if (!known.contains(schema)) {
            throw StageException.input(
                    Problem.trace(source, "the reference does not support the schema '" + schema + "'")
                            .options(known)
                            .hint("without compat=chakra it is read as the latest version"));
        }
    }
}
