package dev.stagesim.sim.collective;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.StuckReport.Waiting;
import java.util.List;
import java.util.stream.Collectors;

/** Says why a run can never end: who waits for whom. */
public final class DeadlockMessage {
    private static final int MOST = 8;

    private DeadlockMessage() {}

    /** The error that ends the run. */
    public static StageException error(StuckReport report, int npus, long endNs) {
        Problem problem = Problem.of(
                "simulation error",
                "deadlock at " + endNs + " ns",
                report.stuckNpus() + " of " + npus + " NPUs never finish: they wait, and nothing is left to happen");
        List<Waiting> waiting = report.waiting();
        for (Waiting one : waiting.subList(0, Math.min(MOST, waiting.size()))) {
            problem = problem.note("NPU " + one.npu(), one.what());
        }
        int more = report.stuckNpus() - Math.min(MOST, waiting.size());
        if (more > 0) {
            problem = problem.note("", "and " + more + " more");
        }
        if (!report.cycle().isEmpty()) {
            problem = problem.note("circle", circle(report.cycle()));
        }
        for (String cause : report.causes()) {
            problem = problem.note("cause", cause);
        }
        return StageException.input(problem);
    }

    private static String circle(List<Integer> ranks) {
        return ranks.stream().map(rank -> "NPU " + rank).collect(Collectors.joining(" waits for ")) + " waits for NPU "
                + ranks.get(0);
    }
}
