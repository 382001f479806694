package dev.stagesim.benchmark;

import dev.stagesim.benchmark.BenchmarkTable.Growth;
import dev.stagesim.benchmark.BenchmarkTable.Row;
import dev.stagesim.benchmark.TimedCommand.Cost;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Renders the measured costs as JSON and as the table of the performance page. */
final class BenchmarkReport {
    /** Lines around the table in the page. */
    private static final String BEGIN = "<!-- benchmark: written by mvn -Pbench verify -Dbench.keep=true -->\n";

    private static final String END = "<!-- end of the benchmark -->\n";

    private final String machine;
    private final Map<Row, List<Cost>> rows = new LinkedHashMap<>();
    private final Map<String, List<Cost>> referenceCosts = new LinkedHashMap<>();
    private final Map<String, Reference> references = new LinkedHashMap<>();
    private final Map<Growth, List<Cost>> growths = new LinkedHashMap<>();

    /**
     * A reference implementation of a row.
     *
     * @param version its name and version
     * @param flags how it was built or run
     */
    record Reference(String version, String flags, String command) {}

    BenchmarkReport(String machine) {
        this.machine = machine;
    }

    void row(Row row, Cost cost) {
        rows.computeIfAbsent(row, key -> new ArrayList<>()).add(cost);
    }

    void reference(Row row, Reference reference, Cost cost) {
        references.put(row.id(), reference);
        referenceCosts.computeIfAbsent(row.id(), key -> new ArrayList<>()).add(cost);
    }

    void growth(Growth growth, List<Cost> costs) {
        growths.put(growth, costs);
    }

    /**
     * Returns the growth exponent between the two largest sizes. The cost of the smallest size is subtracted as process
     * start-up. Returns NaN for fewer than three sizes, or if start-up dominates the cost.
     */
    static double exponent(List<Long> sizes, List<Double> costs) {
        int last = costs.size() - 1;
        double before = last < 2 ? 0 : costs.get(last - 1) - costs.get(0);
        return before <= 0.05 * (last < 0 ? 0 : costs.get(0))
                ? Double.NaN
                : Math.log((costs.get(last) - costs.get(0)) / before)
                        / Math.log((double) sizes.get(last) / sizes.get(last - 1));
    }

    String json() {
        List<JsonValue> measured = new ArrayList<>();
        rows.forEach((row, costs) -> measured.add(JsonValue.object()
                .put("id", row.id())
                .put("command", row.command())
                .put("cpu_s", values(costs, Cost::cpu))
                .put("wall_s", values(costs, Cost::wall))
                .put("memory_mb", values(costs, Cost::megabytes))
                .put("peer_cpu_s", values(ofReference(row), Cost::cpu))
                .build()));
        List<JsonValue> grown = new ArrayList<>();
        growths.forEach((growth, costs) -> grown.add(JsonValue.object()
                .put("id", growth.id())
                .put("command", growth.command())
                .put(
                        "sizes",
                        JsonValue.of(growth.sizes().stream().map(JsonValue::of).toList()))
                .put("cpu_s", values(costs, Cost::cpu))
                .put("memory_mb", values(costs, Cost::megabytes))
                .build()));
        return Json.pretty(JsonValue.object()
                .put("machine", machine)
                .put("rows", JsonValue.of(measured))
                .put("growth", JsonValue.of(grown))
                .build());
    }

    private List<Cost> ofReference(Row row) {
        return referenceCosts.getOrDefault(row.id(), List.of());
    }

    private static JsonValue values(List<Cost> costs, ToDoubleFunction<Cost> value) {
        return JsonValue.of(costs.stream()
                .map(cost -> JsonValue.of(value.applyAsDouble(cost)))
                .toList());
    }

    /** Returns a page with a new report between its marks. */
    static String replaced(String page, String report) {
        int from = page.indexOf(BEGIN) + BEGIN.length();
        return page.substring(0, from) + "\n" + report + "\n" + page.substring(page.indexOf(END));
    }

    String markdown() {
        StringBuilder out = new StringBuilder(machine)
                .append(" Median (minimum to maximum) of whole processes, each pair in turn. Ratio: median of the")
                .append(" reference's processor time divided by ours; below 1, the reference is faster.\n\n")
                .append("| row | work | CPU, s | wall, s | MB | reference | build | CPU, s | wall, s | MB | ratio |\n")
                .append("|---|---|---|---|---:|---|---|---|---|---:|---:|\n");
        rows.forEach((row, costs) -> {
            List<Cost> other = ofReference(row);
            Reference reference = references.getOrDefault(row.id(), new Reference("", "", ""));
            line(
                    out,
                    "`" + row.id() + "`",
                    row.work(),
                    range(costs, Cost::cpu),
                    range(costs, Cost::wall),
                    Math.round(median(costs, Cost::megabytes)) + "",
                    reference.version(),
                    reference.flags(),
                    range(other, Cost::cpu),
                    range(other, Cost::wall),
                    other.isEmpty() ? "" : Math.round(median(other, Cost::megabytes)) + "",
                    other.isEmpty() ? "" : number(median(other, Cost::cpu) / median(costs, Cost::cpu)));
        });
        growths.forEach((growth, costs) -> line(
                out,
                growth.id(),
                join(growth.sizes().stream().map(String::valueOf).toList()) + " " + growth.unit() + "; exponent "
                        + number(exponent(
                                growth.sizes(), costs.stream().map(Cost::cpu).toList())),
                join(costs.stream().map(cost -> number(cost.cpu())).toList()),
                join(costs.stream().map(cost -> number(cost.wall())).toList()),
                join(costs.stream()
                        .map(cost -> Math.round(cost.megabytes()) + "")
                        .toList()),
                "",
                "",
                "",
                "",
                "",
                ""));
        return out.append("\nThe commands are in [benchmark.json](data/benchmark.json).\n")
                .toString();
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> value) {
        double[] sorted = costs.stream().mapToDouble(value).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private static String range(List<Cost> costs, ToDoubleFunction<Cost> value) {
        if (costs.isEmpty()) {
            return "";
        }
        double[] sorted = costs.stream().mapToDouble(value).sorted().toArray();
        String median = number(median(costs, value));
        return sorted.length == 1
                ? median
                : median + " (" + number(sorted[0]) + " to " + number(sorted[sorted.length - 1]) + ")";
    }

    private static String join(List<String> parts) {
        return String.join(", ", parts);
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value) : "-";
    }

    private static void line(StringBuilder out, String... cells) {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
