package dev.stagesim.feature.studio;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.RunMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares several runs: differing settings, metrics, distributions of a column, and individual requests. */
final class CompareView {
    private static final int MAX_RUNS = 12;
    private static final int QUANTILES = 200;
    private static final int MAX_POINTS = 1500;
    private static final int MAX_ROWS = 5_000_000;
    private static final String ID = "request_id";

    private final RunView view;

    CompareView(RunView view) {
        this.view = view;
    }

    private static List<String> names(ApiRequest call) {
        List<String> names = call.all("run").stream().distinct().toList();
        if (names.isEmpty() || names.size() > MAX_RUNS) {
            throw StageException.input(Problem.usage("run", "expected 1 to " + MAX_RUNS + " runs"));
        }
        return names;
    }

    /** Returns the settings, the metrics and the tables that all runs have. */
    ApiResponse answer(ApiRequest call) throws IOException {
        List<String> names = names(call);
        List<RunMeta> metas = new ArrayList<>();
        for (String name : names) {
            metas.add(view.meta(name));
        }
        List<Map<String, String>> settings = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            settings.add(view.settings(names.get(i), metas.get(i)));
        }
        Set<String> keys = new TreeSet<>();
        settings.forEach(each -> keys.addAll(each.keySet()));
        Map<String, JsonValue> differ = new TreeMap<>();
        for (String key : keys) {
            List<String> values =
                    settings.stream().map(each -> each.getOrDefault(key, "")).toList();
            if (values.stream().distinct().count() > 1) {
                differ.put(key, JsonValue.strings(values));
            }
        }
        return ApiResponse.json(JsonValue.object()
                .put("runs", JsonValue.strings(names))
                .put(
                        "overrides",
                        JsonValue.strings(metas.stream()
                                .map(meta -> String.join(" ", meta.config().overrides()))
                                .toList()))
                .put("differ", JsonValue.of(differ))
                .put("same", keys.size() - differ.size())
                .put("figures", figures(metas))
                .put("inputs", inputs(metas))
                .put("tables", tables(names, metas))
                .build());
    }

    private static JsonValue figures(List<RunMeta> metas) {
        Set<String> names = new TreeSet<>();
        metas.forEach(meta -> names.addAll(meta.headlines().keySet()));
        Map<String, JsonValue> figures = new LinkedHashMap<>();
        for (String name : names) {
            figures.put(
                    name,
                    JsonValue.of(metas.stream()
                            .map(meta -> RunView.figures(meta).members().getOrDefault(name, JsonValue.NULL))
                            .toList()));
        }
        return JsonValue.of(figures);
    }

    /** Returns the input roles with different upstream runs. */
    private static JsonValue inputs(List<RunMeta> metas) {
        Map<String, String[]> roles = new TreeMap<>();
        for (int i = 0; i < metas.size(); i++) {
            for (RunMeta.Input input : metas.get(i).inputs()) {
                roles.computeIfAbsent(input.role(), role -> emptyTexts(metas.size()))[i] =
                        input.runId().orElse(input.path());
            }
        }
        Map<String, JsonValue> differ = new TreeMap<>();
        roles.forEach((role, runs) -> {
            if (Arrays.stream(runs).distinct().count() > 1) {
                differ.put(role, JsonValue.strings(List.of(runs)));
            }
        });
        return JsonValue.of(differ);
    }

    private static String[] emptyTexts(int count) {
        String[] texts = new String[count];
        Arrays.fill(texts, "");
        return texts;
    }

    private JsonValue tables(List<String> names, List<RunMeta> metas) throws IOException {
        Set<String> common = new LinkedHashSet<>(tables(metas.get(0)));
        metas.forEach(meta -> common.retainAll(tables(meta)));
        Map<String, JsonValue> tables = new TreeMap<>();
        for (String table : common) {
            Set<String> columns = new LinkedHashSet<>(view.columns(names.get(0), table));
            for (String name : names) {
                columns.retainAll(view.columns(name, table));
            }
            tables.put(table, JsonValue.strings(columns));
        }
        return JsonValue.of(tables);
    }

    private static List<String> tables(RunMeta meta) {
        return meta.outputs().stream()
                .map(RunMeta.Output::path)
                .filter(path -> TableFormat.isTable(path) && !path.contains("/"))
                .map(TableFormat::name)
                .toList();
    }

    /** Returns quantiles of a column in each run, to draw distribution functions. */
    ApiResponse distribution(ApiRequest call) throws IOException {
        List<JsonValue> all = new ArrayList<>();
        for (String name : names(call)) {
            double[] values = column(name, call.text("table"), call.text("column"));
            Arrays.sort(values);
            List<JsonValue> quantiles = new ArrayList<>();
            for (int i = 0; i <= QUANTILES && values.length > 0; i++) {
                quantiles.add(JsonValue.of(quantile(values, (double) i / QUANTILES)));
            }
            var out = JsonValue.object().put("run", name).put("count", values.length);
            if (values.length > 0) {
                out.put("mean", Arrays.stream(values).average().orElse(0))
                        .put("p50", quantile(values, 0.5))
                        .put("p90", quantile(values, 0.9))
                        .put("p99", quantile(values, 0.99));
            }
            all.add(out.put("quantiles", JsonValue.of(quantiles)).build());
        }
        return ApiResponse.json(
                JsonValue.object().put("runs", JsonValue.of(all)).build());
    }

    /** Returns a quantile with linear interpolation between the neighbouring values, as in the reports. */
    static double quantile(double[] sorted, double share) {
        double at = share * (sorted.length - 1);
        int below = (int) Math.floor(at);
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    /** Returns two columns of each run. With {@code pair}: one column in two runs, matched by request. */
    ApiResponse scatter(ApiRequest call) throws IOException {
        List<String> names = names(call);
        String table = call.text("table");
        List<JsonValue> all = new ArrayList<>();
        if (!call.text("pair").isEmpty()) {
            if (names.size() != 2) {
                throw StageException.input(Problem.usage("pair", "expected two runs"));
            }
            all.add(points("both", pairs(names, table, call.text("y"))));
        } else {
            for (String name : names) {
                all.add(points(name, columns(name, table, call.text("x"), call.text("y"))));
            }
        }
        return ApiResponse.json(
                JsonValue.object().put("runs", JsonValue.of(all)).build());
    }

    /** Samples at most {@code MAX_POINTS} points, evenly distributed over the table. */
    private static JsonValue points(String name, List<double[]> points) {
        int step = Math.max(1, (points.size() + MAX_POINTS - 1) / MAX_POINTS);
        List<JsonValue> shown = new ArrayList<>();
        for (int i = 0; i < points.size(); i += step) {
            shown.add(JsonValue.of(List.of(JsonValue.of(points.get(i)[0]), JsonValue.of(points.get(i)[1]))));
        }
        return JsonValue.object()
                .put("run", name)
                .put("count", points.size())
                .put("points", JsonValue.of(shown))
                .build();
    }

    private List<double[]> pairs(List<String> names, String table, String column) throws IOException {
        Map<String, Double> first = new HashMap<>();
        read(names.get(0), table, rows -> {
            String id = rows.text(rows.column(ID));
            double value = number(rows.text(rows.column(column)));
            if (!Double.isNaN(value)) {
                first.put(id, value);
            }
        });
        List<double[]> pairs = new ArrayList<>();
        read(names.get(1), table, rows -> {
            Double other = first.get(rows.text(rows.column(ID)));
            double value = number(rows.text(rows.column(column)));
            if (other != null && !Double.isNaN(value)) {
                pairs.add(new double[] {other, value});
            }
        });
        return pairs;
    }

    private List<double[]> columns(String name, String table, String x, String y) throws IOException {
        List<double[]> points = new ArrayList<>();
        read(name, table, rows -> {
            double across = number(rows.text(rows.column(x)));
            double up = number(rows.text(rows.column(y)));
            if (!Double.isNaN(across) && !Double.isNaN(up)) {
                points.add(new double[] {across, up});
            }
        });
        return points;
    }

    private double[] column(String name, String table, String column) throws IOException {
        double[][] values = {new double[1024]};
        int[] count = {0};
        read(name, table, rows -> {
            double value = number(rows.text(rows.column(column)));
            if (!Double.isNaN(value)) {
                if (count[0] == values[0].length) {
                    values[0] = Arrays.copyOf(values[0], 2 * count[0]);
                }
                values[0][count[0]++] = value;
            }
        });
        return Arrays.copyOf(values[0], count[0]);
    }

    private interface Row {
        void read(CsvRows rows);
    }

    private void read(String name, String table, Row row) throws IOException {
        try (CsvRows rows = CsvRows.open(view.table(name, table))) {
            int left = MAX_ROWS;
            while (rows.next()) {
                if (left-- == 0) {
                    throw StageException.input(
                            Problem.usage(table, "has more than " + MAX_ROWS + " rows: use stage table, or a report"));
                }
                row.read(rows);
            }
        }
    }

    private static double number(String text) {
        double value = RunQuery.number(Objects.requireNonNull(text));
        return Double.isFinite(value) ? value : Double.NaN;
    }
}
