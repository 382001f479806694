package dev.stagesim.cli.run;

import dev.stagesim.model.Count;
import dev.stagesim.sweep.JobOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** A table of the headline metrics of a sweep's jobs: one column per job for few jobs, or one row per job. */
final class SweepTable {
    private static final int MAX_COLUMNS = 6;
    private static final int MAX_JOBS = 40;
    private static final String INDENT = "  ";

    /** A short key with a number. */
    private static final Pattern SHORT_NUMBER = Pattern.compile("\\w+=[\\d.]+");

    /** The contents of the table for one job. */
    record Job(int num, String label, SortedMap<String, Double> figures) {}

    private SweepTable() {}

    /** @param typed returns the overrides of a job as the user typed them */
    static List<String> lines(List<JobOutcome> jobs, UnaryOperator<List<String>> typed) {
        List<List<String>> overrides =
                jobs.stream().map(JobOutcome::overrides).map(typed).toList();
        List<Job> shown = new ArrayList<>();
        for (JobOutcome job : jobs) {
            SortedMap<String, Double> figures =
                    job.run().map(run -> run.meta().headlines()).orElseGet(TreeMap::new);
            shown.add(new Job(job.num(), label(typed.apply(job.overrides()), overrides), figures));
        }
        return table(shown);
    }

    /**
     * Returns the overrides that differ between jobs. If one key differs, returns only its value, except for a number of
     * a short key, which means little without the key.
     */
    static String label(List<String> overrides, List<List<String>> all) {
        List<String> distinct = overrides.stream()
                .filter(override -> !all.stream().allMatch(job -> job.contains(override)))
                .toList();
        return distinct.size() == 1 && !SHORT_NUMBER.matcher(distinct.get(0)).matches()
                ? distinct.get(0).substring(distinct.get(0).indexOf('=') + 1)
                : String.join(" ", distinct);
    }

    static List<String> table(List<Job> jobs) {
        TreeSet<String> names = new TreeSet<>();
        jobs.forEach(job -> names.addAll(job.figures().keySet()));
        if (names.isEmpty()) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        if (jobs.size() <= MAX_COLUMNS) {
            rows.add(row("", jobs.stream().map(SweepTable::name).toList()));
            for (String name : names) {
                rows.add(row(name, jobs.stream().map(job -> cell(job, name)).toList()));
            }
            return aligned(rows);
        }
        rows.add(row("", List.copyOf(names)));
        for (Job job : jobs.subList(0, Math.min(MAX_JOBS, jobs.size()))) {
            rows.add(row(name(job), names.stream().map(name -> cell(job, name)).toList()));
        }
        List<String> lines = new ArrayList<>(aligned(rows));
        if (jobs.size() > MAX_JOBS) {
            lines.add(INDENT + "... and " + Count.of(jobs.size() - MAX_JOBS, "more job") + " in results.csv");
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

    /** Aligns the first column left and all other columns right, with two blanks between columns. */
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
