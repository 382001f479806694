package dev.stagesim.io.measured;

import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Options for reading a file.
 *
 * @param entry index of the result to read, from 0
 * @param arrivals definition of the arrival of a request that waited in the client
 */
public record ReadOptions(Optional<Integer> entry, Optional<ArrivalTime> arrivals) {
    /** No options. */
    public static final ReadOptions NONE = new ReadOptions(Optional.empty(), Optional.empty());

    /** Rejects options without effect on a format; {@code why} completes "has no effect: ". */
    public void refuse(boolean entries, boolean queues, String why) {
        List<Problem> problems = new ArrayList<>();
        if (entries && entry.isPresent()) {
            problems.add(Problem.config("real.entry", "has no effect: " + why));
        }
        if (queues && arrivals.isPresent()) {
            problems.add(Problem.config("real.arrivals", "has no effect: " + why));
        }
        StageException.refuse(problems);
    }
}
