package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * Header of a PyTorch execution trace.
 *
 * @param schema schema version, for example {@code 1.1.1-chakra.0.0.4}
 * @param pid process id
 * @param time time of the recording, as text
 * @param startTs start, in the recorder's unit
 * @param finishTs end, in the recorder's unit
 * @param missing names of the above that the trace lacks
 * @param rest JSON text of other members with their names, copied without parsing
 */
public record TraceHeader(
        String schema, long pid, String time, long startTs, long finishTs, List<String> missing, List<String> rest) {
    public TraceHeader {
        missing = List.copyOf(missing);
        rest = List.copyOf(rest);
    }
}
