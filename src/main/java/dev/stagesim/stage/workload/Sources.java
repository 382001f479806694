package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.sim.workload.InterArrivalSource;
import dev.stagesim.sim.workload.LengthSource;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.Truncation;
import java.util.List;
import java.util.Optional;

/** Builds the sources of lengths and gaps that settings describe; lengths are asked for first. */
interface Sources {
    /** Source of lengths; {@code rows} are those of workload.file. */
    LengthSource lengths(Optional<TraceRows> rows);

    /** Source of gaps; {@code times} are the rows with recorded arrivals, in order. */
    InterArrivalSource gaps(Optional<TraceRows> times);

    /** Returns what the length limit removed from the requests that were made. */
    Truncation truncation(RequestTable made);

    /** Returns further remarks on the lengths for the user, after generation. */
    List<String> remarks();
}
