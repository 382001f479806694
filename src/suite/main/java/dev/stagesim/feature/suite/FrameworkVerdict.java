package dev.stagesim.feature.suite;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.Problem;
import dev.stagesim.stage.RunInput;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Checks of a measured workload: equal losses, finite values, the expected number of parameters. */
final class FrameworkVerdict {
    private FrameworkVerdict() {}

    /** Returns all failed checks. */
    static List<Problem> check(TfWorkload workload, RunInput operators, List<FrameworkRun> runs) throws IOException {
        List<Problem> problems = new ArrayList<>();
        long hashes = runs.stream().map(FrameworkRun::lossHash).distinct().count();
        if (hashes > 1) {
            problems.add(problem(workload, hashes + " different series of losses in " + runs.size() + " processes"));
        }
        if (!runs.stream().allMatch(FrameworkRun::isFinite)) {
            problems.add(problem(workload, "a loss or a logit is not finite"));
        }
        long expected = parameters(operators);
        long found = runs.get(0).parameters();
        if (found != expected) {
            problems.add(problem(workload, "has " + found + " parameters, its operators have " + expected));
        }
        return problems;
    }

    private static Problem problem(TfWorkload workload, String what) {
        return Problem.of("check failed", workload.label(), what);
    }

    private static long parameters(RunInput operators) throws IOException {
        LongAdder sum = new LongAdder();
        Path file = operators.file(SuiteTables.OPERATORS.name());
        TableReader.forEach(file, SuiteTables.OPERATORS, row -> sum.add(row.longAt("parameters")));
        return sum.sum();
    }
}
