package dev.stagesim.cli;

import dev.stagesim.model.Count;
import dev.stagesim.sweep.JobOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Headline figures of a sweep's jobs side by side, for people: one column per job when there are few, else one row per
 * job.
 */
final class SweepTable {
    private static final int FEW = 6;
    private static final int MOST = 40;
    private static final String INDENT = "  ";

    /** What the table says of one job. */
    record Job(int num, String label, SortedMap<String, Double> figures) {}

    private SweepTable() {}

    static List<String> lines(List<JobOutcome> jobs) {
        List<List<String>> overrides = jobs.stream().map(JobOutcome::overrides).toList();
        List<Job> shown = new ArrayList<>();
        for (JobOutcome job : jobs) {
            SortedMap<String, Double> figures =
                    job.run().map(run -> run.meta().headlines()).orElseGet(TreeMap::new);
            shown.add(new Job(job.num(), label(job.overrides(), overrides), figures));
        }
        return table(shown);
    }

    /** The overrides that not every job has; of a single one the value alone. */
    static String label(List<String> overrides, List<List<String>> all) {
        List<String> own = overrides.stream()
                .filter(override -> !all.stream().allMatch(job -> job.contains(override)))
                .toList();
        return own.size() == 1 ? own.get(0).substring(own.get(0).indexOf('=') + 1) : String.join(" ", own);
    }

    static List<String> table(List<Job> jobs) {
        TreeSet<String> names = new TreeSet<>();
        jobs.forEach(job -> names.addAll(job.figures().keySet()));
        if (names.isEmpty()) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        if (jobs.size() <= FEW) {
            rows.add(row("", jobs.stream().map(SweepTable::name).toList()));
            for (String name : names) {
                rows.add(row(name, jobs.stream().map(job -> cell(job, name)).toList()));
            }
            return aligned(rows);
        }
        rows.add(row("", List.copyOf(names)));
        for (Job job : jobs.subList(0, Math.min(MOST, jobs.size()))) {
            rows.add(row(name(job), names.stream().map(name -> cell(job, name)).toList()));
        }
        List<String> lines = new ArrayList<>(aligned(rows));
        if (jobs.size() > MOST) {
            lines.add(INDENT + "... and " + Count.of(jobs.size() - MOST, "more job") + " in results.csv");
        }
        return lines;
    }

    private static String name(Job job) {
        return job.label().isEmpty() ? "#" + job.num() : job.label();
    }

    private static String cell(Job job, String figure) {
        Map<String, Double> figures = job.figures();
        Double value = figures.get(figure);
        return value == null ? "-" : Headlines.number(value);
    }

    private static List<String> row(String first, List<String> rest) {
        List<String> row = new ArrayList<>(List.of(first));
        row.addAll(rest);
        return row;
    }

    /** First column to the left, the others to the right, two blanks between. */
    private static List<String> aligned(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(INDENT).append(row.get(0));
            line.append(" ".repeat(widths[0] - row.get(0).length()));
            for (int i = 1; i < widths.length; i++) {
                line.append(" ".repeat(2 + widths[i] - row.get(i).length())).append(row.get(i));
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
