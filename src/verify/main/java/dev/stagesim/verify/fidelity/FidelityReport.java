package dev.stagesim.verify.fidelity;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.verify.fidelity.corpus.CorpusReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Results of predicting the rows of a corpus: errors by group, and rejected rows. */
final class FidelityReport implements CorpusReport {
    private static final int DECIMALS = 1;
    private static final int MAX_WORST_GROUPS = 20;
    private static final int MIN_ROWS = 4;

    private static final int MIN_CLASS_ROWS = 20;

    private final Function<Row, ModelCard> models;
    private final List<RowPrediction> judged = new ArrayList<>();
    private final List<RowPrediction> logged = new ArrayList<>();
    private final List<Refused> refused = new ArrayList<>();

    FidelityReport(Function<Row, ModelCard> models) {
        this.models = models;
    }

    private record Refused(Row row, String why) {}

    void add(RowPrediction row) {
        judged.add(row);
    }

    /** Adds the prediction of a request log, which is not a row of the corpus. */
    void log(RowPrediction row) {
        logged.add(row);
    }

    void refuse(Row row, String why) {
        refused.add(new Refused(row, why));
    }

    List<RowPrediction> judged() {
        return List.copyOf(judged);
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>();
        lines.add(
                "file,line,source_id,engine,engine_version,model,dtype,gpu,tp,input_len,output_len,load,metric,measured,predicted,percent");
        for (RowPrediction each : all()) {
            Row row = each.row();
            lines.add(String.join(
                    ",",
                    row.origin().file(),
                    String.valueOf(row.origin().line()),
                    row.origin().source(),
                    row.setup().engine(),
                    quoted(row.setup().version()),
                    row.setup().model(),
                    row.setup().dtype(),
                    row.setup().gpu(),
                    String.valueOf(row.groups().tensor()),
                    row.load().input(),
                    String.valueOf(row.load().output()),
                    String.valueOf(row.load().amount()),
                    row.metric(),
                    String.valueOf(row.value()),
                    String.valueOf(each.predicted()),
                    String.valueOf(each.percent())));
        }
        return lines;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    private List<RowPrediction> all() {
        List<RowPrediction> all = new ArrayList<>(judged);
        all.addAll(logged);
        return all;
    }

    /** Error statistics of a set of rows. */
    private record Errors(int n, double median, double p90, double within10, double within20) {
        static Errors of(List<RowPrediction> rows) {
            double[] percent = rows.stream()
                    .mapToDouble(j -> Math.abs(j.percent()))
                    .sorted()
                    .toArray();
            return new Errors(
                    percent.length,
                    Quantiles.ofSorted(percent, 0.5),
                    Quantiles.ofSorted(percent, 0.9),
                    share(percent, 10),
                    share(percent, 20));
        }

        private static double share(double[] percent, double limit) {
            int count = 0;
            for (double each : percent) {
                count += each <= limit ? 1 : 0;
            }
            return 100.0 * count / percent.length;
        }

        JsonObjectBuilder into(JsonObjectBuilder json) {
            return json.put("n", (long) n)
                    .put("median_abs_percent", rounded(median))
                    .put("p90_abs_percent", rounded(p90));
        }

        private static double rounded(double value) {
            return Math.round(value * 1e3) / 1e3;
        }
    }

    private static Map<List<String>, List<RowPrediction>> grouped(
            List<RowPrediction> rows, Function<Row, List<String>> key) {
        Map<List<String>, List<RowPrediction>> groups =
                new TreeMap<>(Comparator.comparing(each -> String.join("\t", each)));
        rows.forEach(each -> groups.computeIfAbsent(key.apply(each.row()), none -> new ArrayList<>())
                .add(each));
        return groups;
    }

    @Override
    public JsonValue json() {
        List<JsonValue> groups = new ArrayList<>();
        grouped(
                        all(),
                        row -> List.of(
                                row.setup().engine(),
                                row.setup().gpu(),
                                row.setup().model(),
                                name(row)))
                .forEach((key, rows) -> groups.add(Errors.of(rows)
                        .into(JsonValue.object()
                                .put("engine", key.get(0))
                                .put("gpu", key.get(1))
                                .put("model", key.get(2))
                                .put("metric", key.get(3)))
                        .build()));
        List<JsonValue> rejected = new ArrayList<>();
        refused.forEach(each -> rejected.add(JsonValue.object()
                .put("file", each.row().origin().file())
                .put("line", (long) each.row().origin().line())
                .put("why", each.why())
                .build()));
        long logRefused = refused.stream()
                .filter(each -> each.row().load().kind().equals("log"))
                .count();
        JsonObjectBuilder json = JsonValue.object()
                .put("rows", judged.size() + refused.size() - logRefused)
                .put("predicted", (long) judged.size())
                .put("refused", JsonValue.of(rejected))
                .put("groups", JsonValue.of(groups))
                .put("assumptions", JsonValue.strings(Predictions.assumptions()));
        if (!judged.isEmpty()) {
            Errors overall = Errors.of(judged);
            json.put(
                    "overall",
                    overall.into(JsonValue.object())
                            .put("within_10_percent", Errors.rounded(overall.within10()))
                            .put("within_20_percent", Errors.rounded(overall.within20()))
                            .build());
        }
        return json.build();
    }

    private static String name(Row row) {
        return row.load().kind().equals("log") ? "log_" + row.metric() : row.metric();
    }

    /** Returns the metric without its statistic. */
    private static String kind(Row row) {
        String metric = row.metric();
        if (row.load().kind().equals("log")) {
            return "request log: " + metric;
        }
        if (metric.startsWith("tpot") || metric.equals("itl_p50") || metric.equals("itl_mean")) {
            return "token time";
        }
        if (metric.startsWith("itl")) {
            return "token time, tail";
        }
        if (metric.startsWith("ttft") || metric.startsWith("prefill")) {
            return "first token, prefill";
        }
        return metric.contains("throughput") ? "throughput" : "end to end";
    }

    @Override
    public List<DataTable> tables() {
        List<DataTable> tables = new ArrayList<>();
        tables.add(table("By metric", List.of("metric"), all(), row -> List.of(kind(row))));
        tables.add(table(
                "By engine",
                List.of("engine", "metric"),
                all(),
                row -> List.of(row.setup().engine(), kind(row))));
        tables.add(table(
                "By engine, device and kind of model",
                List.of("engine", "device", "kind", "metric"),
                frequent(row -> List.of(row.setup().engine(), row.setup().gpu(), model(row), kind(row))),
                row -> List.of(row.setup().engine(), row.setup().gpu(), model(row), kind(row))));
        tables.add(table(
                "By source",
                List.of("source", "engine", "metric"),
                judged,
                row -> List.of(row.origin().source(), row.setup().engine(), kind(row))));
        tables.add(table(
                "By model, at least " + MIN_CLASS_ROWS + " rows",
                List.of("model", "metric"),
                frequent(row -> List.of(row.setup().model(), kind(row))),
                row -> List.of(row.setup().model(), kind(row))));
        for (Calibrated.Group group : Calibrated.Group.values()) {
            tables.add(calibrated(group));
        }
        tables.add(leftOut());
        tables.add(suspicious());
        tables.add(worst());
        tables.add(reasons());
        return tables;
    }

    /** Returns the class of a row: kind and size of its model, and number of nodes. Errors are stated by class. */
    private String model(Row row) {
        return ConditionText.comparable(models.apply(row), Splits.devices(row));
    }

    /** Returns the rows of the groups that are large enough for an error statement about the class. */
    private List<RowPrediction> frequent(Function<Row, List<String>> key) {
        return grouped(judged, key).values().stream()
                .filter(rows -> rows.size() >= MIN_CLASS_ROWS)
                .flatMap(List::stream)
                .toList();
    }

    private static DataTable table(
            String caption, List<String> columns, List<RowPrediction> rows, Function<Row, List<String>> key) {
        DataTable table = new DataTable(caption);
        columns.forEach(table::text);
        table.columns("#n", "#median %", "#P90 %", "#within 10 %", "#within 20 %");
        grouped(rows, key).forEach((names, group) -> table.row(line(names, Errors.of(group))));
        return table;
    }

    private static String[] line(List<String> names, Errors errors) {
        List<String> cells = new ArrayList<>(names);
        cells.add(String.valueOf(errors.n()));
        cells.add(Numbers.fixed(errors.median(), DECIMALS));
        cells.add(Numbers.fixed(errors.p90(), DECIMALS));
        cells.add(Numbers.fixed(errors.within10(), 0));
        cells.add(Numbers.fixed(errors.within20(), 0));
        return cells.toArray(new String[0]);
    }

    private DataTable calibrated(Calibrated.Group group) {
        DataTable table = new DataTable("Calibrated with the other half of " + group.words())
                .columns("terms fitted", "metric", "#n", "#median %", "#P90 %", "#within 10 %", "#within 20 %");
        for (int terms = 0; terms < Calibrated.TERMS.size(); terms++) {
            String name = Calibrated.TERMS.get(terms);
            grouped(Calibrated.of(judged, terms, group), row -> List.of(kind(row)))
                    .forEach((kind, rows) -> table.row(line(List.of(name, kind.get(0)), Errors.of(rows))));
        }
        return table;
    }

    private DataTable leftOut() {
        DataTable table = new DataTable("Corrections and 80 % intervals from other groups")
                .columns(
                        "left out",
                        "#n",
                        "#median %, fitted",
                        "#P90 %, fitted",
                        "#median %, left out",
                        "#P90 %, left out",
                        "#in the interval %");
        LeftOut groups = new LeftOut(judged, this::model, FidelityReport::kind);
        LeftOut.FACTORS.forEach((name, factor) -> {
            LeftOut.Result result = groups.of(factor);
            if (result.leftOut().length > 0) {
                table.row(
                        name,
                        String.valueOf(result.leftOut().length),
                        Numbers.fixed(LeftOut.median(result.fitted()), DECIMALS),
                        Numbers.fixed(LeftOut.p90(result.fitted()), DECIMALS),
                        Numbers.fixed(LeftOut.median(result.leftOut()), DECIMALS),
                        Numbers.fixed(LeftOut.p90(result.leftOut()), DECIMALS),
                        Numbers.fixed(100 * result.covered(), 0));
            }
        });
        return table;
    }

    /** Rows that contradict other measurements of the same kind, and the errors of the others. */
    private DataTable suspicious() {
        return table(
                "With and without suspicious rows",
                List.of("rows"),
                judged,
                row -> List.of(ExcludedRows.suspicion(row).orElse("all others")));
    }

    private DataTable worst() {
        DataTable table = new DataTable("Worst groups of " + MIN_ROWS + " rows and more")
                .columns(
                        "engine",
                        "device",
                        "model",
                        "metric",
                        "#n",
                        "#median %",
                        "#P90 %",
                        "#within 10 %",
                        "#within 20 %");
        grouped(
                        judged,
                        row -> List.of(
                                row.setup().engine(),
                                row.setup().gpu(),
                                row.setup().model(),
                                kind(row)))
                .entrySet()
                .stream()
                .filter(group -> group.getValue().size() >= MIN_ROWS)
                .map(group -> Map.entry(group.getKey(), Errors.of(group.getValue())))
                .sorted(Comparator.comparingDouble(group -> -group.getValue().median()))
                .limit(MAX_WORST_GROUPS)
                .forEach(group -> table.row(line(group.getKey(), group.getValue())));
        return table;
    }

    private DataTable reasons() {
        Map<String, Integer> counts = new TreeMap<>();
        refused.forEach(each -> counts.merge(each.why(), 1, Integer::sum));
        DataTable table = new DataTable("Rows that are not predicted").columns("reason", "#rows");
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(each -> table.row(each.getKey(), String.valueOf(each.getValue())));
        return table;
    }

    @Override
    public String headline() {
        int rows = judged.size() + refused.size();
        if (judged.isEmpty()) {
            return "0 of " + rows + " rows predicted";
        }
        Errors overall = Errors.of(judged);
        return judged.size() + " of " + rows + " rows predicted: median error "
                + Numbers.fixed(overall.median(), DECIMALS)
                + " %, P90 " + Numbers.fixed(overall.p90(), DECIMALS) + " %, " + Numbers.fixed(overall.within10(), 0)
                + " % within 10 %, " + Numbers.fixed(overall.within20(), 0) + " % within 20 %";
    }

    @Override
    public String title() {
        return "Predicted and measured";
    }

    @Override
    public String html() {
        return FidelityPage.html(this);
    }

    @Override
    public List<String> assumptions() {
        return Predictions.assumptions();
    }
}
