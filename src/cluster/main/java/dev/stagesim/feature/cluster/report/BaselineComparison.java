package dev.stagesim.feature.cluster.report;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
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
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Attributes the difference between two runs of the same requests to the parts of their latency, for each percentile.
 *
 * <p>Percentiles are interpolated as in summaries. The parts of a percentile are means over requests of neighbouring
 * ranks. The difference between the percentile and these means is the residual, so that all parts add up.
 */
public final class BaselineComparison {
    /** Names of the parts in the table, and their labels. */
    private static final String[] PARTS = names(KeyNames::constant, "prefix_hits", "residual");

    private static final String[] LABELS = names(part -> part.label, "prefix hits", "residual");
    private static final int FIRST = LatencyBreakdown.FIRST_TOKEN;
    private static final int PREFILL = Part.PREFILL.ordinal();
    private static final int HITS = Part.values().length;
    private static final int REST = HITS + 1;

    /** Index of the prompt tokens and of the cached tokens, after the parts. */
    private static final int PROMPT = HITS;

    private static final int CACHED = HITS + 1;
    private static final int COLUMNS = HITS + 2;
    private static final int[] RANKS = {50, 90, 99};
    private static final double NEIGHBOURS = 0.005;

    /** A percentile in both runs with its parts in ns. The residual is last. */
    record Row(String figure, int rank, long base, long current, long[] baseParts, long[] currentParts) {}

    private final List<Row> rows = new ArrayList<>();
    private final String name;
    private int faster;
    private int served;
    private final int size;
    private final boolean isClosed;

    /** Instances of prompt and output of each request in the baseline; -1 if it was not completed. */
    private final int[] choices;

    private final boolean hasSamePools;

    /** Reads the baseline. Requests that were not completed in both runs are left out. */
    public BaselineComparison(Path run, ServingInput input, ClusterFigures figures) throws IOException {
        isClosed = input.isClosed() || figures.sim.sessions().isPresent();
        name = String.valueOf(run.getFileName());
        size = figures.size();
        choices = new int[2 * size];
        Arrays.fill(choices, -1);
        hasSamePools = hasSamePools(run.resolve(ClusterTables.INSTANCES.name()), figures.instances);
        long[][] baseRequests = read(run.resolve(ClusterTables.REQUESTS.name()), input);
        long[][] currentRequests = new long[size][];
        for (int i = 0; i < size; i++) {
            boolean isInBoth = figures.timeline.isServed(i) && baseRequests[i].length > 0;
            if (isInBoth) {
                currentRequests[served] = Arrays.copyOf(figures.parts.get(i).values(), COLUMNS);
                currentRequests[served][PROMPT] = input.trace().prefillTokens(i);
                currentRequests[served][CACHED] = figures.timeline.hits[i];
                baseRequests[served] = baseRequests[i];
                faster += sum(currentRequests[served], FIRST) < sum(baseRequests[served], FIRST) ? 1 : 0;
                served++;
            }
        }
        for (int rank : served == 0 ? new int[0] : RANKS) {
            rows.add(row(
                    "ttft", FIRST, rank, Arrays.copyOf(baseRequests, served), Arrays.copyOf(currentRequests, served)));
        }
        for (int rank : served == 0 ? new int[0] : RANKS) {
            rows.add(row(
                    "e2e", HITS, rank, Arrays.copyOf(baseRequests, served), Arrays.copyOf(currentRequests, served)));
        }
    }

    private static String[] names(Function<Part, String> name, String... others) {
        return Stream.concat(Arrays.stream(Part.values()).map(name), Stream.of(others))
                .toArray(String[]::new);
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
                PoolPlan current = instances.get(Math.min(count++, instances.size() - 1)).pool;
                isSame &= table.stringAt(pool).equals(current.name())
                        && table.stringAt(role).equals(KeyNames.constant(current.role()));
            }
        }
        return isSame && count == instances.size();
    }

    /** Returns true if the baseline has the same instances. */
    boolean hasSamePools() {
        return hasSamePools;
    }

    /** Returns the instance that the baseline chose for the prompt or output of a request, or -1 if absent. */
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
                    throw others("row " + (count + 2) + " of its " + file.getFileName() + " is a different request");
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
            throw others("it has " + count + " requests and this run has " + size);
        }
        return all;
    }

    private StageException others(String reason) {
        return StageException.input(
                Problem.config("baseline", "the run " + name + " has a different workload: " + reason)
                        .hint("use the same workload for both runs, for example with workload.dir"));
    }

    private static Row row(String figure, int count, int rank, long[][] baseRequests, long[][] currentRequests) {
        double[] base = at(count, rank, baseRequests);
        double[] current = at(count, rank, currentRequests);
        // use the same prefill rate for both runs, so that the difference shows cache hits; the lower rate contains
        // less fixed time of steps
        double pace = Math.min(pace(base), pace(current));
        return new Row(figure, rank, percentile(base), percentile(current), parts(base, pace), parts(current, pace));
    }

    private static double pace(double[] means) {
        return means[PREFILL] / Math.max(1, means[PROMPT] - means[CACHED]);
    }

    private static long percentile(double[] means) {
        return Math.round(means[COLUMNS]);
    }

    /** Splits prefill into the time without cache hits and the time that cache hits save, and adds the residual. */
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

    /** Returns the column means over neighbouring ranks, and the percentile after them. */
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
        double[] times = Arrays.stream(sorted)
                .mapToDouble(requestParts -> sum(requestParts, count))
                .toArray();
        means[COLUMNS] = Quantiles.ofSorted(times, rank / 100.0);
        return means;
    }

    public void write(Path out) throws IOException {
        try (TableWriter table = TableWriter.in(out, ClusterTables.BASELINE)) {
            for (Row row : rows) {
                for (int part = 0; part <= REST; part++) {
                    table.put(row.figure() + "_p" + row.rank()).put(PARTS[part]);
                    table.put(row.baseParts()[part]).put(row.currentParts()[part]);
                    table.put(row.currentParts()[part] - row.baseParts()[part]).endRow();
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

    /** Describes a difference, largest parts first. */
    private static String words(Row row) {
        long all = row.current() - row.base();
        List<Integer> order = new ArrayList<>();
        for (int part = 0; part <= REST; part++) {
            if (row.currentParts()[part] != row.baseParts()[part]) {
                order.add(part);
            }
        }
        order.sort(Comparator.comparingLong(part -> -Math.abs(row.currentParts()[part] - row.baseParts()[part])));
        List<String> parts = order.stream()
                .map(part -> change(row.currentParts()[part] - row.baseParts()[part]) + " " + LABELS[part])
                .toList();
        return "P" + row.rank() + " " + row.figure().toUpperCase(Locale.ROOT) + " is " + ms(row.current())
                + ", baseline " + ms(row.base()) + ": " + change(all)
                + (parts.isEmpty() ? "" : " = " + String.join(", ", parts)) + ".";
    }

    /** Describes the difference of P99 TTFT in per cent of the baseline. */
    String sentence() {
        return rows.stream()
                .filter(row -> row.figure().equals("ttft") && row.rank() == 99 && row.base() > 0)
                .findFirst()
                .map(row -> new PercentagePointDelta(
                                row.base(), row.current(), row.baseParts(), row.currentParts(), LABELS)
                        .sentence(name))
                .orElse("No request was completed in both runs.");
    }

    public void addTo(Report report) {
        report.section("baseline", "Comparison with " + name)
                .prose(sentence())
                .prose("The baseline is " + name + ". " + Numbers.count(faster) + " of " + Count.of(served, "request")
                        + (faster == 1 ? " has its" : " have their") + " first token earlier than in the baseline."
                        + (served < size
                                ? " Left out: " + Numbers.count(size - served)
                                        + " requests that were not completed in both runs."
                                : ""))
                .items(rows.stream().map(BaselineComparison::words).toList());
        DataTable table = new DataTable("Contribution of each part (ms)").text("Part");
        rows.forEach(row -> table.number("P" + row.rank() + " " + row.figure().toUpperCase(Locale.ROOT)));
        for (int part = 0; part <= REST; part++) {
            List<String> cells = new ArrayList<>(List.of(LABELS[part]));
            for (Row row : rows) {
                cells.add(Numbers.signed((row.currentParts()[part] - row.baseParts()[part]) / NS_PER_MS, 2));
            }
            table.row(cells.toArray(new String[0]));
        }
        report.table(table);
    }
}
