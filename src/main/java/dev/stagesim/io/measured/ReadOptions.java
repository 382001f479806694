package dev.stagesim.io.measured;

import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a user says about a file besides its name.
 *
 * @param entry which of several results to read, from 0
 * @param arrivals what counts as the arrival of a request that waited in the client
 */
public record ReadOptions(Optional<Integer> entry, Optional<ArrivalTime> arrivals) {
    /** Nothing said. */
    public static final ReadOptions NONE = new ReadOptions(Optional.empty(), Optional.empty());

    /** Fails when something was said that a format has no use for; {@code why} completes "has no effect: ". */
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
