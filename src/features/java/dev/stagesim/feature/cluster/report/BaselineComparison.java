package dev.stagesim.feature.cluster.report;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Explains the difference between two runs of the same requests: what each part of a request's time adds to each percentile.
 *
 * <p>A percentile is the one that summaries have, between two requests of neighbouring ranks. The parts are means over its
 * neighbours in rank, in each run; what the percentile differs from its neighbourhood goes into a part of its own, so that
 * all parts add up to the difference.
 */
public final class BaselineComparison {
    private static final String[] PARTS = {
        "gateway",
        "lost",
        "routing",
        "queue",
        "tier_read",
        "prefill",
        "evicted",
        "second_routing",
        "transfer_wait",
        "transfer",
        "decode_queue",
        "decode",
        "interference",
        "prefix_hits"
    };
    private static final String[] WORDS = {
        "wait in front of the cluster",
        "time with instances that failed",
        "API server",
        "queue for the prompt",
        "reads from tiers",
        "prompt",
        "time without memory before the first token",
        "API server of decode instances",
        "wait for KV cache (decode)",
        "transfer",
        "queue (decode)",
        "output",
        "interference of prefills and preemption",
        "prefix hits",
        "residual"
    };
    private static final int FIRST = 7;
    private static final int PREFILL = 5;
    private static final int HITS = PARTS.length - 1;
    private static final int REST = PARTS.length;

    /** What a request was asked to compute of its prompt, and found cached, behind its parts. */
    private static final int PROMPT = HITS;

    private static final int CACHED = HITS + 1;
    private static final int COLUMNS = HITS + 2;
    private static final int[] RANKS = {50, 90, 99};
    private static final double NEIGHBOURS = 0.005;

    /** A percentile of a figure in both runs, with its parts in ns; the last one is the rest. */
    record Row(String figure, int rank, long that, long own, long[] thatParts, long[] ownParts) {}

    private final List<Row> rows = new ArrayList<>();
    private final String name;
    private int faster;
    private int served;
    private final int size;
    private final boolean isClosed;

    /** Instances of the prompts and outputs of its requests by turns; -1 where they were not completed. */
    private final int[] choices;

    private final boolean hasSamePools;

    /** Reads the other run; what was not completed in both is left out. */
    public BaselineComparison(Path run, ServingInput input, ClusterFigures figures) throws IOException {
        isClosed = figures.sim.sessions().isPresent();
        name = String.valueOf(run.getFileName());
        size = figures.size();
        choices = new int[2 * size];
        Arrays.fill(choices, -1);
        hasSamePools = hasSamePools(run.resolve(ClusterTables.INSTANCES.name()), figures.instances);
        long[][] those = read(run.resolve(ClusterTables.REQUESTS.name()), input);
        long[][] these = new long[size][];
        for (int i = 0; i < size; i++) {
            boolean isInBoth = figures.timeline.isServed(i) && those[i].length > 0;
            if (isInBoth) {
                these[served] = Arrays.copyOf(figures.parts.get(i).values(), COLUMNS);
                these[served][PROMPT] = input.trace().prefillTokens(i);
                these[served][CACHED] = figures.timeline.hits[i];
                those[served] = those[i];
                faster += sum(these[served], FIRST) < sum(those[served], FIRST) ? 1 : 0;
                served++;
            }
        }
        for (int rank : served == 0 ? new int[0] : RANKS) {
            rows.add(row("ttft", FIRST, rank, Arrays.copyOf(those, served), Arrays.copyOf(these, served)));
        }
        for (int rank : served == 0 ? new int[0] : RANKS) {
            rows.add(row("e2e", HITS, rank, Arrays.copyOf(those, served), Arrays.copyOf(these, served)));
        }
    }

    private static long sum(long[] parts, int count) {
        return Arrays.stream(parts, 0, count).sum();
    }

    private static boolean hasSamePools(Path file, List<Instance> instances) throws IOException {
        int count = 0;
        boolean isSame = true;
        try (TableReader table = TableReader.open(file, ClusterTables.INSTANCES)) {
            int pool = table.column("pool");
            int role = table.column("role");
            while (table.next()) {
                PoolPlan own = instances.get(Math.min(count++, instances.size() - 1)).pool;
                isSame &= table.stringAt(pool).equals(own.name())
                        && table.stringAt(role).equals(own.role().name().toLowerCase(Locale.ROOT));
            }
        }
        return isSame && count == instances.size();
    }

    /** Whether its instances are those of this run. */
    boolean hasSamePools() {
        return hasSamePools;
    }

    /** The instance that it chose for the prompt or the output of a request; -1 for none. */
    int choice(int request, boolean isPrompt) {
        return choices[2 * request + (isPrompt ? 0 : 1)];
    }

    private long[][] read(Path file, ServingInput input) throws IOException {
        long[][] all = new long[size][0];
        int count = 0;
        try (TableReader table = TableReader.open(file, ClusterTables.REQUESTS)) {
            int id = table.column("request_id");
            int arrival = table.column("arrival_ns");
            int prompt = table.column("prompt_tokens");
            int output = table.column("output_tokens");
            int first = table.column("gateway_ns");
            int status = table.column("status");
            int cached = table.column("cached_tokens");
            int prefill = table.column("prefill_instance");
            int decode = table.column("decode_instance");
            while (table.next()) {
                boolean isSame = count < size
                        && table.longAt(id) == input.id(count)
                        && (isClosed || table.longAt(arrival) == input.arrivalNs(count))
                        && table.longAt(prompt) == input.trace().prefillTokens(count)
                        && table.longAt(output) == input.trace().decodeTokens(count);
                if (!isSame) {
                    throw others("row " + (count + 2) + " of its " + file.getFileName() + " is another request");
                }
                if (table.stringAt(status).equals(RequestTimeline.Outcome.COMPLETED.word())) {
                    all[count] = new long[COLUMNS];
                    for (int part = 0; part < HITS; part++) {
                        all[count][part] = table.longAt(first + part);
                    }
                    choices[2 * count] = Math.toIntExact(table.longAt(prefill));
                    choices[2 * count + 1] = Math.toIntExact(table.longAt(decode));
                    all[count][PROMPT] = table.longAt(prompt);
                    all[count][CACHED] = table.longAt(cached);
                }
                count++;
            }
        }
        if (count < size) {
            throw others("it has " + count + ", this one " + size);
        }
        return all;
    }

    private StageException others(String why) {
        return StageException.input(Problem.config("against", "the run " + name + " served other requests: " + why)
                .hint("make both with the same workload, for example with the same workload.dir"));
    }

    private static Row row(String figure, int count, int rank, long[][] those, long[][] these) {
        double[] that = at(count, rank, those);
        double[] own = at(count, rank, these);
        // both at the same pace, so that what differs is what was cached; the lesser one has least of steps' own time
        // in it
        double pace = Math.min(pace(that), pace(own));
        return new Row(figure, rank, percentile(that), percentile(own), parts(that, pace), parts(own, pace));
    }

    private static double pace(double[] means) {
        return means[PREFILL] / Math.max(1, means[PROMPT] - means[CACHED]);
    }

    private static long percentile(double[] means) {
        return Math.round(means[COLUMNS]);
    }

    /** Prompts as if nothing of them were cached, what the cache saves of that, and the rest to the percentile. */
    private static long[] parts(double[] means, double pace) {
        long[] parts = new long[REST + 1];
        for (int part = 0; part < HITS; part++) {
            parts[part] = Math.round(means[part]);
        }
        long saved = Math.round(means[CACHED] * pace);
        parts[PREFILL] += saved;
        parts[HITS] = -saved;
        parts[REST] = percentile(means) - sum(parts, REST);
        return parts;
    }

    /** Means of the neighbours of a rank, column by column, and the percentile behind them. */
    private static double[] at(int count, int rank, long[][] requests) {
        long[][] sorted = requests.clone();
        Arrays.sort(sorted, Comparator.comparingLong(parts -> sum(parts, count)));
        int place = Math.max(0, (int) Math.ceil(rank / 100.0 * sorted.length) - 1);
        int wide = (int) Math.round(NEIGHBOURS * sorted.length);
        int from = Math.max(0, place - wide);
        int to = Math.min(sorted.length - 1, place + wide);
        double[] means = new double[COLUMNS + 1];
        for (int column = 0; column < COLUMNS; column++) {
            for (int i = from; i <= to && (column < count || column >= HITS); i++) {
                means[column] += sorted[i][column];
            }
            means[column] /= to - from + 1;
        }
        double[] times =
                Arrays.stream(sorted).mapToDouble(one -> sum(one, count)).toArray();
        means[COLUMNS] = Quantiles.ofSorted(times, rank / 100.0);
        return means;
    }

    List<Row> rows() {
        return rows;
    }

    public void write(Path out) throws IOException {
        try (TableWriter table = TableWriter.create(out.resolve(ClusterTables.AGAINST.name()), ClusterTables.AGAINST)) {
            for (Row row : rows) {
                for (int part = 0; part <= REST; part++) {
                    table.put(row.figure() + "_p" + row.rank()).put(part == REST ? "rest" : PARTS[part]);
                    table.put(row.thatParts()[part]).put(row.ownParts()[part]);
                    table.put(row.ownParts()[part] - row.thatParts()[part]).endRow();
                }
            }
        }
    }

    private static String ms(long ns) {
        return Numbers.significant(ns / NS_PER_MS, 3) + " ms";
    }

    private static String change(long ns) {
        return (ns < 0 ? "−" : "+") + ms(Math.abs(ns));
    }

    /** A difference in words, greatest parts first. */
    private static String words(Row row) {
        long all = row.own() - row.that();
        List<Integer> order = new ArrayList<>();
        for (int part = 0; part <= REST; part++) {
            if (row.ownParts()[part] != row.thatParts()[part]) {
                order.add(part);
            }
        }
        order.sort(Comparator.comparingLong(part -> -Math.abs(row.ownParts()[part] - row.thatParts()[part])));
        List<String> parts = order.stream()
                .map(part -> change(row.ownParts()[part] - row.thatParts()[part]) + " " + WORDS[part])
                .toList();
        return "P" + row.rank() + " " + row.figure().toUpperCase(Locale.ROOT) + " is " + ms(row.own())
                + ", baseline " + ms(row.that()) + ": " + change(all)
                + (parts.isEmpty() ? "" : " = " + String.join(", ", parts)) + ".";
    }

    /** P99 of the time to the first token in a sentence: points of a hundred of the baseline. */
    String sentence() {
        return rows.stream()
                .filter(row -> row.figure().equals("ttft") && row.rank() == 99 && row.that() > 0)
                .findFirst()
                .map(row -> new PercentagePointDelta(row.that(), row.own(), row.thatParts(), row.ownParts(), WORDS)
                        .sentence(name))
                .orElse("No request was completed in both runs.");
    }

    public void addTo(Report report) {
        report.section("against", "Against " + name)
                .prose(sentence())
                .prose("The baseline is " + name + ". " + Numbers.count(faster) + " of " + Count.of(served, "request")
                        + (faster == 1 ? " has its" : " have their") + " first token earlier than in the baseline."
                        + (served < size
                                ? " Left out: " + Numbers.count(size - served) + " that were not completed in both."
                                : ""))
                .items(rows.stream().map(BaselineComparison::words).toList());
        DataTable table = new DataTable("What each part adds (ms)").text("Part");
        rows.forEach(row -> table.number("P" + row.rank() + " " + row.figure().toUpperCase(Locale.ROOT)));
        for (int part = 0; part <= REST; part++) {
            List<String> cells = new ArrayList<>(List.of(WORDS[part]));
            for (Row row : rows) {
                cells.add(Numbers.signed((row.ownParts()[part] - row.thatParts()[part]) / NS_PER_MS, 2));
            }
            table.row(cells.toArray(new String[0]));
        }
        report.table(table);
    }
}
