package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * What a PyTorch execution trace says about itself.
 *
 * @param schema version of the schema, for example {@code 1.1.1-chakra.0.0.4}
 * @param pid process
 * @param time when it was recorded, as text
 * @param startTs start, in the recorder's unit
 * @param finishTs end, in the recorder's unit
 * @param missing names of the above that the trace lacks
 * @param rest JSON text of further members, each with its name, handed through unread
 */
public record TraceHeader(
        String schema, long pid, String time, long startTs, long finishTs, List<String> missing, List<String> rest) {
    public TraceHeader {
        missing = List.copyOf(missing);
        rest = List.copyOf(rest);
    }
}
