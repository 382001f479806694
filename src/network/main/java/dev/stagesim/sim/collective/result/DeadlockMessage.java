package dev.stagesim.sim.collective.result;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.result.CollectiveDeadlock.Waiting;
import java.util.List;
import java.util.stream.Collectors;

/** Formats the error of a deadlocked run. */
public final class DeadlockMessage {
    private static final int MAX_LISTED = 8;

    private DeadlockMessage() {}

    /** Returns the error that ends the run. */
    public static StageException error(CollectiveDeadlock report, int npus, long endNs) {
        Problem problem = Problem.of(
                "simulation error",
                "deadlock at " + endNs + " ns",
                report.stuckNpus() + " of " + npus + " NPUs never finish: they wait, and no event is left");
        List<Waiting> waiting = report.waiting();
        for (Waiting one : waiting.subList(0, Math.min(MAX_LISTED, waiting.size()))) {
            problem = problem.note("NPU " + one.npu(), one.what());
        }
        int more = report.stuckNpus() - Math.min(MAX_LISTED, waiting.size());
        if (more > 0) {
            problem = problem.note("", "and " + more + " more");
        }
        if (!report.cycle().isEmpty()) {
            problem = problem.note("cycle", cycle(report.cycle()));
        }
        for (String cause : report.causes()) {
            problem = problem.note("cause", cause);
        }
        return StageException.input(problem);
    }

    private static String cycle(List<Integer> ranks) {
        return ranks.stream().map(rank -> "NPU " + rank).collect(Collectors.joining(" waits for ")) + " waits for NPU "
                + ranks.get(0);
    }
}
