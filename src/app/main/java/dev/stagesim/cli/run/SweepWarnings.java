package dev.stagesim.cli.run;

import dev.stagesim.pipeline.store.RunMeta.Warning;
import dev.stagesim.sweep.JobOutcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Warnings of the runs of a sweep, each with its jobs. */
final class SweepWarnings {
    /** Maximum number of jobs that a warning names with their swept values. */
    private static final int MAX_NAMED = 3;

    private SweepWarnings() {}

    /**
     * Returns one line per warning: its jobs with their swept values, its stage and its text. Equal warnings of several jobs
     * share a line.
     *
     * @param typed returns the overrides of a job as the user typed them
     */
    static List<String> lines(List<JobOutcome> jobs, UnaryOperator<List<String>> typed) {
        List<List<String>> overrides =
                jobs.stream().map(JobOutcome::overrides).map(typed).toList();
        Map<Warning, List<String>> labels = new LinkedHashMap<>();
        for (int i = 0; i < jobs.size(); i++) {
            JobOutcome job = jobs.get(i);
            String label = SweepTable.label(overrides.get(i), overrides);
            String name = "#" + job.num() + (label.isEmpty() ? "" : " (" + label + ")");
            job.run().stream()
                    .flatMap(run -> run.meta().warnings().stream())
                    .distinct()
                    .forEach(warning -> labels.computeIfAbsent(warning, text -> new ArrayList<>())
                            .add(name));
        }
        return labels.entrySet().stream()
                .map(entry -> named(entry.getValue(), jobs.size()) + ": " + text(entry.getKey()))
                .toList();
    }

    /** Returns the stage and the text of a warning. */
    static String text(Warning warning) {
        return warning.stage() + ": " + warning.message();
    }

    private static String named(List<String> jobs, int all) {
        if (jobs.size() == all && all > 1) {
            return "all " + all + " jobs";
        }
        String first = jobs.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
        return jobs.size() <= MAX_NAMED ? first : first + " and " + (jobs.size() - MAX_NAMED) + " more jobs";
    }
}
