package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.sim.workload.InterArrivalSource;
import dev.stagesim.sim.workload.LengthSource;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.Truncation;
import java.util.List;
import java.util.Optional;

/** Creates the sources of lengths and inter-arrival times; lengths are created first. */
interface RequestSources {
    /** Returns the source of lengths; {@code rows} are the rows of workload.file. */
    LengthSource lengths(Optional<TraceRows> rows);

    /** Returns the source of inter-arrival times; {@code times} are the rows with recorded arrivals, in order. */
    InterArrivalSource gaps(Optional<TraceRows> times);

    /** Returns the truncation of the generated requests by the length limit. */
    Truncation truncation(RequestTable made);

    /** Returns messages about the lengths for the user, after generation. */
    List<String> remarks();
}
