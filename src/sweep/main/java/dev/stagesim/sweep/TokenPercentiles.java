package dev.stagesim.sweep;

import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.stats.LogHistogram;
import dev.stagesim.sweep.tokens.TokenCounts;
import dev.stagesim.sweep.tokens.TokenPart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Aggregates the token times of a sweep's runs into percentiles over all jobs, per value of a swept key, and per job.
 * Parts may arrive in any order.
 *
 * <p>Histograms of all jobs, of each value and of each unfinished run are in memory. Of a finished job, only the percentiles
 * are kept.
 */
final class TokenPercentiles {
    /** Maximum number of values of a key with rows per value. Keys such as a seed exceed it. */
    static final int MAX_VALUES = 64;

    private static final int[] THOUSANDTHS = {500, 900, 950, 990, 999};

    /** Summary of one kind of times. */
    record Figures(long rows, long min, long mean, List<Long> percentiles, long max) {
        private static Figures of(LogHistogram times) {
            List<Long> percentiles = new ArrayList<>();
            for (int thousandths : THOUSANDTHS) {
                percentiles.add(times.quantile(thousandths));
            }
            return new Figures(times.count(), times.min(), times.mean(), percentiles, times.max());
        }
    }

    /** A row of the table: scope, key and value, kind of times, and summary. */
    record Row(String scope, String key, String value, int job, String times, int jobs, Figures figures) {}

    /** Jobs that are counted together. */
    private static final class Group {
        private final TokenCounts counts = new TokenCounts();
        private int firsts;
        private int betweens;

        void add(TokenCounts more) {
            counts.merge(more);
            firsts += more.first().count() > 0 ? 1 : 0;
            betweens += more.between().count() > 0 ? 1 : 0;
        }
    }

    /** A run with missing parts. */
    private static final class Pending {
        private final TokenCounts counts = new TokenCounts();
        private int left;
    }

    /** A swept key and one of its values. */
    private record Value(String key, String value) {}

    private final Map<String, List<JobOutcome>> jobs = new HashMap<>();
    private final Map<Integer, List<Value>> valuesOf = new HashMap<>();
    private final Map<Value, Group> values = new LinkedHashMap<>();
    private final Group all = new Group();
    private final Map<String, Pending> pending = new HashMap<>();
    private final Map<Integer, List<Row>> rows = new TreeMap<>();

    /** Creates an aggregation without counts. */
    TokenPercentiles(List<JobOutcome> outcomes) {
        for (JobOutcome job : outcomes) {
            job.run().ifPresent(run -> jobs.computeIfAbsent(run.runId(), id -> new ArrayList<>())
                    .add(job));
        }
        for (String key : new SweepTables(outcomes).swept()) {
            group(key, outcomes);
        }
    }

    private void group(String key, List<JobOutcome> outcomes) {
        Map<String, List<JobOutcome>> byValue = new LinkedHashMap<>();
        for (JobOutcome job : outcomes) {
            String value = SweepTables.values(job.overrides()).getOrDefault(key, "");
            byValue.computeIfAbsent(value, text -> new ArrayList<>()).add(job);
        }
        if (byValue.size() > MAX_VALUES || byValue.size() == outcomes.size()) {
            return;
        }
        byValue.forEach((text, members) -> {
            Value value = new Value(key, text);
            values.put(value, new Group());
            members.forEach(job -> valuesOf.computeIfAbsent(job.num(), num -> new ArrayList<>())
                    .add(value));
        });
    }

    /** Returns the runs to count, without duplicates. */
    static List<RunRef> runs(List<JobOutcome> outcomes) {
        Map<String, RunRef> runs = new LinkedHashMap<>();
        outcomes.forEach(job -> job.run().ifPresent(run -> runs.putIfAbsent(run.runId(), run)));
        return List.copyOf(runs.values());
    }

    /** Registers a part. All parts must be registered before the first one is added. */
    synchronized void expect(TokenPart part) {
        pending.computeIfAbsent(part.run(), id -> new Pending()).left++;
    }

    /** Adds the counts of a part. */
    synchronized void add(TokenPart part, TokenCounts counts) {
        Pending run = pending.get(part.run());
        if (run == null) {
            throw new IllegalStateException("no part is registered for run " + part.run());
        }
        run.counts.merge(counts);
        if (--run.left == 0) {
            pending.remove(part.run());
            jobs.getOrDefault(part.run(), List.of()).forEach(job -> add(job, run.counts));
        }
    }

    private void add(JobOutcome job, TokenCounts counts) {
        all.add(counts);
        for (Value value : valuesOf.getOrDefault(job.num(), List.of())) {
            Group group = values.get(value);
            if (group != null) {
                group.add(counts);
            }
        }
        Group single = new Group();
        single.add(counts);
        List<Row> jobRows = new ArrayList<>();
        add(jobRows, "job", new Value("", ""), job.num(), single);
        rows.put(job.num(), jobRows);
    }

    private static void add(List<Row> to, String scope, Value value, int job, Group group) {
        int[] counts = {group.firsts, group.betweens};
        List<LogHistogram> times = List.of(group.counts.first(), group.counts.between());
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                String name = SimulationTables.MEASURED_TIMES.get(i);
                to.add(new Row(scope, value.key(), value.value(), job, name, counts[i], Figures.of(times.get(i))));
            }
        }
    }

    /** Returns the rows over several jobs: first over all jobs, then per value. */
    synchronized List<Row> together() {
        List<Row> together = new ArrayList<>();
        add(together, "all", new Value("", ""), -1, all);
        values.forEach((value, group) -> add(together, "value", value, -1, group));
        return together;
    }

    /** Writes the table. If no run has tokens, deletes the table of an earlier launch. */
    synchronized void write(Path dir) throws IOException {
        if (!pending.isEmpty()) {
            throw new IllegalStateException("parts are missing for runs " + pending.keySet());
        }
        Path file = dir.resolve(SweepSchemas.TOKEN_PERCENTILES.name());
        if (rows.isEmpty()) {
            Files.deleteIfExists(file);
            return;
        }
        SweepFiles.write(file, to -> {
            try (TableWriter out = TableWriter.create(to, SweepSchemas.TOKEN_PERCENTILES)) {
                for (Row row : together()) {
                    write(out, row);
                }
                for (List<Row> jobRows : rows.values()) {
                    for (Row row : jobRows) {
                        write(out, row);
                    }
                }
            }
        });
    }

    private static void write(TableWriter out, Row row) throws IOException {
        out.put(row.scope()).put(row.key()).put(row.value());
        out.putUnlessNegative(row.job());
        Figures figures = row.figures();
        out.put(row.times())
                .put((long) row.jobs())
                .put(figures.rows())
                .put(figures.min())
                .put(figures.mean());
        for (long percentile : figures.percentiles()) {
            out.put(percentile);
        }
        out.put(figures.max()).endRow();
    }
}
