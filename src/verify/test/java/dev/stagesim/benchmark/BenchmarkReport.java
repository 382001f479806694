package dev.stagesim.benchmark;

import dev.stagesim.benchmark.BenchmarkTable.Growth;
import dev.stagesim.benchmark.BenchmarkTable.Row;
import dev.stagesim.benchmark.TimedCommand.Cost;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Renders the measured costs as JSON and as a table with an earlier measurement. */
final class BenchmarkReport {
    private final String machine;
    private final Map<Row, Cost> rows = new LinkedHashMap<>();
    private final Map<String, Cost> references = new LinkedHashMap<>();
    private final Map<Growth, List<Cost>> growths = new LinkedHashMap<>();

    BenchmarkReport(String machine) {
        this.machine = machine;
    }

    void row(Row row, Cost cost) {
        rows.merge(row, cost, Cost::least);
    }

    void reference(Row row, Cost cost) {
        references.merge(row.id(), cost, Cost::least);
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
        rows.forEach((row, cost) -> measured.add(JsonValue.object()
                .put("id", row.id())
                .put("command", row.command())
                .put("cpu_s", cost.cpu())
                .put("wall_s", cost.wall())
                .put("memory_mb", cost.megabytes())
                .put("peer_cpu_s", referenceSeconds(row))
                .build()));
        List<JsonValue> grown = new ArrayList<>();
        growths.forEach((growth, costs) -> grown.add(JsonValue.object()
                .put("id", growth.id())
                .put("command", growth.command())
                .put(
                        "sizes",
                        JsonValue.of(growth.sizes().stream().map(JsonValue::of).toList()))
                .put(
                        "cpu_s",
                        JsonValue.of(costs.stream()
                                .map(cost -> JsonValue.of(cost.cpu()))
                                .toList()))
                .put(
                        "memory_mb",
                        JsonValue.of(costs.stream()
                                .map(cost -> JsonValue.of(cost.megabytes()))
                                .toList()))
                .build()));
        return Json.pretty(JsonValue.object()
                .put("machine", machine)
                .put("rows", JsonValue.of(measured))
                .put("growth", JsonValue.of(grown))
                .build());
    }

    /**
     * Returns the report as a page.
     *
     * @param before an earlier measurement as JSON
     */
    String markdown(Optional<LocatedJson> before) {
        StringBuilder out = new StringBuilder(
                "# Benchmark\n\nWritten by `mvn -Pbench verify`; see [performance](../performance.md#the-benchmark).\n");
        out.append(
                "Minimum over the runs of whole processes: processor time of all threads, wall time, resident memory.\n\n");
        out.append(machine).append("\n\n");
        out.append(
                "| row | CPU, s | wall, s | memory, MB | goal, CPU s (MB) | reference, CPU s | ratio to the reference | ratio to the last |\n");
        out.append("|---|---|---|---|---|---|---|---|\n");
        rows.forEach((row, cost) -> {
            Optional<Cost> reference = Optional.ofNullable(references.get(row.id()));
            line(
                    out,
                    row.id(),
                    number(cost.cpu()),
                    number(cost.wall()),
                    Math.round(cost.megabytes()) + "",
                    row.goalSeconds().map(BenchmarkReport::number).orElse("")
                            + row.goalMegabytes()
                                    .map(mb -> " (" + Math.round(mb) + ")")
                                    .orElse(""),
                    reference.map(p -> number(p.cpu())).orElse(""),
                    reference.map(p -> number(p.cpu() / cost.cpu())).orElse(""),
                    before.flatMap(b -> cpu(b, row))
                            .map(b -> number(cost.cpu() / b))
                            .orElse(""));
        });
        out.append("\nHow cost grows: processor time and memory at each size, and the exponent of processor time"
                + " between the two largest sizes, after subtracting the smallest.\n\n");
        out.append("| growth | sizes | CPU, s | memory, MB | exponent |\n|---|---|---|---|---|\n");
        growths.forEach((growth, costs) -> line(
                out,
                growth.id(),
                join(growth.sizes().stream().map(String::valueOf).toList()),
                join(costs.stream().map(cost -> number(cost.cpu())).toList()),
                join(costs.stream()
                        .map(cost -> Math.round(cost.megabytes()) + "")
                        .toList()),
                number(exponent(growth.sizes(), costs.stream().map(Cost::cpu).toList()))));
        out.append("\nThe commands are in [benchmark.json](benchmark.json).\n");
        return out.toString();
    }

    private static Optional<Double> cpu(LocatedJson before, Row row) {
        return before.get("rows").items().stream()
                .filter(old -> old.get("id").asString().equals(row.id())
                        && old.get("command").asString().equals(row.command()))
                .map(old -> old.get("cpu_s").asDouble())
                .findFirst();
    }

    private JsonValue referenceSeconds(Row row) {
        Cost reference = references.get(row.id());
        return reference == null ? JsonValue.NULL : JsonValue.of(reference.cpu());
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
