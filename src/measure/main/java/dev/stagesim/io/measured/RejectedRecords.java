package dev.stagesim.io.measured;

import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects impossible records. A few among many are left out with a warning; otherwise the file is rejected. */
public final class RejectedRecords {
    /** A larger share means that the file is wrong, not a record. */
    private static final double MAX_SHARE = 0.05;

    private static final int MAX_PROBLEMS = 10;
    private final String record;
    private final List<Problem> problems = new ArrayList<>();
    private long count;

    /** @param record the name of one record, such as "request" */
    public RejectedRecords(String record) {
        this.record = record;
    }

    public void add(String where, String what) {
        count++;
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(Problem.artifact(where, what));
        }
    }

    /**
     * Returns the warning about the records left out.
     *
     * @param total number of records in the file
     */
    public Optional<String> among(long total) {
        if (count > MAX_SHARE * total) {
            throw StageException.input(
                    count <= problems.size()
                            ? problems
                            : append(Problem.artifact(
                                    "and",
                                    (count - problems.size()) + " more of " + Count.of(total, record)
                                            + " cannot be true")));
        }
        if (count == 0) {
            return Optional.empty();
        }
        Problem example = problems.get(0);
        return Optional.of("left out: " + count + " of " + Count.of(total, record)
                + " that cannot be true, for example " + example.where() + ": " + example.what());
    }

    private List<Problem> append(Problem last) {
        List<Problem> all = new ArrayList<>(problems);
        all.add(last);
        return all;
    }
}
