package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.StuckReport;
import dev.stagesim.sim.collective.StuckReport.Waiting;
import java.util.List;
import java.util.stream.Collectors;

/** Says why a run can never end: who waits for whom. */
final class StuckText {
    private static final int MOST = 8;

    private StuckText() {}

    /** The error that ends the run. */
    static StageException error(StuckReport report, int npus, long endNs) {
        Problem problem = Problem.of(
                "simulation error",
                "deadlock at " + endNs + " ns",
                report.stuckNpus() + " of " + npus + " NPUs never finish: nothing is left to happen, and they still"
                        + " wait");
        List<Waiting> waiting = report.waiting();
        for (Waiting one : waiting.subList(0, Math.min(MOST, waiting.size()))) {
            problem = problem.note("NPU " + one.npu(), line(one));
        }
        int more = report.stuckNpus() - Math.min(MOST, waiting.size());
        if (more > 0) {
            problem = problem.note("", "and " + more + " more");
        }
        if (!report.cycle().isEmpty()) {
            problem = problem.note("circle", circle(report.cycle()));
        }
        return StageException.input(problem);
    }

    /** What an NPU does and waits for. */
    static String line(Waiting one) {
        return one.what() + (one.peers().isEmpty() ? "" : "; waits for " + peers(one.peers()));
    }

    private static String peers(List<Integer> peers) {
        String shown = peers.stream().limit(MOST).map(String::valueOf).collect(Collectors.joining(", "));
        String rest = peers.size() > MOST ? " and " + (peers.size() - MOST) + " more" : "";
        return (peers.size() == 1 ? "NPU " : "NPUs ") + shown + rest;
    }

    private static String circle(List<Integer> ranks) {
        return ranks.stream().map(rank -> "NPU " + rank).collect(Collectors.joining(" waits for "))
                + " waits for NPU " + ranks.get(0);
    }
}
