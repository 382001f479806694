package dev.stagesim;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Prints the skipped tests and the reasons in one line at the end, so that a successful run does not hide them. */
public final class SkippedTests implements TestExecutionListener {
    private final Map<String, Integer> reasons = new TreeMap<>();

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        reasons.merge(reason, 1, Integer::sum);
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            String reason = result.getThrowable().map(Throwable::getMessage).orElse("aborted");
            reasons.merge(reason.replaceFirst("^Assumption failed: ", ""), 1, Integer::sum);
        }
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan plan) {
        if (!reasons.isEmpty()) {
            System.out.println(reasons.entrySet().stream()
                    .map(reason -> reason.getValue() + " x " + reason.getKey())
                    .collect(Collectors.joining("; ", "Skipped tests: ", "")));
            reasons.clear();
        }
    }
}
