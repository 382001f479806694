package dev.stagesim.feature.pytorch.trace;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;

/** Versions of the schema of PyTorch's execution traces. */
final class Schemas {
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

    /** Refuses a trace that the reference cannot link. */
    static void checkLinked(HostTrace trace) {
        refuse(LINKED, trace.source(), trace.header().schema());
    }

    /** Refuses what the reference cannot convert, or remarks on a version that is new to us. */
    static void check(PlusTrace trace, boolean isReference, List<String> remarks) {
        String schema = trace.header().schema();
        if (isReference) {
            refuse(CONVERTED, trace.source(), schema);
        } else if (!LINKED.contains(schema) && !schema.equals(RELABELLED)) {
            remarks.add("the schema " + (schema.isEmpty() ? "is not named" : schema + " is not a known one")
                    + "; it is read as " + CONVERTED.get(CONVERTED.size() - 1));
        }
    }

    private static void refuse(List<String> known, String source, String schema) {
        if (!known.contains(schema)) {
            throw StageException.input(Problem.trace(source, "the reference does not know the schema '" + schema + "'")
                    .options(known)
                    .hint("without compat=chakra it is read as the latest one"));
        }
    }
}
