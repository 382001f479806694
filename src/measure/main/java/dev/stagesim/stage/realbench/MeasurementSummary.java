package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Key values of a measurement. */
final class MeasurementSummary {
    private static final int MAX_OPERATORS = 30;
    private final RealBenchSettings settings;
    private final Measurement measurement;
    private final List<Request> completed;

    MeasurementSummary(RealBenchSettings settings, Measurement measurement) {
        this.settings = settings;
        this.measurement = measurement;
        this.completed =
                measurement.requests().all().stream().filter(Request::completed).toList();
    }

    /** Returns the headline values by name. */
    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        if (measurement.requests().size() > 0) {
            figures.put("requests", (double) measurement.requests().size());
            figures.put("failed", (double) failed());
        }
        if (measurement.aggregatesOnly()) {
            measurement.published().stream()
                    .filter(figure -> figure.statistic().equals("p50")
                            || figure.statistic().equals("mean"))
                    .forEach(figure -> figures.put(
                            figure.metric() + "_" + figure.statistic() + "_ms", figure.valueNs() / NS_PER_MS));
        }
        rates().forEach(figures::put);
        Operations operations = measurement.operations();
        if (!operations.rows().isEmpty()) {
            figures.put("operators", (double) operations.rows().size());
            double total = operations.rows().stream()
                    .mapToDouble(Operations.Operator::totalNs)
                    .sum();
            figures.put("operator_time_ms", total / NS_PER_MS);
        }
        operations.collectives().stream()
                .mapToDouble(Operations.Collective::busGbs)
                .max()
                .ifPresent(best -> figures.put("bus_max_gbs", best));
        figures.putAll(new EngineSteps(operations.steps()).headlines());
        samples().forEach((name, values) -> {
            if (values.length > 0) {
                figures.put(name + "_p50_ms", Quantiles.of(values, 0.5) / NS_PER_MS);
            }
        });
        return figures;
    }

    private long cancelled() {
        return measurement.requests().all().stream()
                .filter(r -> r.status() == RequestStatus.CANCELLED)
                .count();
    }

    private long failed() {
        return measurement.requests().size() - completed.size() - cancelled();
    }

    private Map<String, Double> rates() {
        Map<String, Double> rates = new LinkedHashMap<>();
        if (measurement.about().get("rates").orElse(JsonValue.NULL) instanceof JsonValue.Obj stated) {
            stated.members().forEach((name, value) -> {
                if (value instanceof JsonValue.Real rate) {
                    rates.put(name, rate.value());
                }
            });
        }
        return rates;
    }

    Map<String, double[]> samples() {
        Map<String, double[]> samples = new LinkedHashMap<>();
        samples.put("ttft", values(r -> r.first() - r.arrival(), 1));
        samples.put("tpot", values(r -> (double) (r.completion() - r.first()) / (r.actual() - 1), 2));
        samples.put("e2e", values(r -> r.completion() - r.arrival(), 1));
        return samples;
    }

    private double[] values(ToDoubleFunction<Request> metric, long minTokens) {
        return completed.stream()
                .filter(r -> r.actual() >= minTokens)
                .mapToDouble(metric)
                .toArray();
    }

    /** Names the model and the hardware that the measurement states, and omits defaults of the settings. */
    String title() {
        String what = measurement.model().isPresent()
                ? settings.model().name()
                : settings.real()
                        .file()
                        .map(file -> String.valueOf(file.getFileName()))
                        .orElse(measurement.format());
        return "Measured: " + what
                + measurement
                        .hardware()
                        .map(name -> " on " + settings.hardware().name())
                        .orElse("");
    }

    /** Returns the conditions of the measurement, and the requests that the length limit of a replayed workload removed. */
    RunConditions conditions(Optional<WorkloadDocument> workload) {
        List<Request> all = measurement.requests().all();
        String requests = all.isEmpty()
                ? ""
                : ConditionText.workload(
                        all.size(),
                        i -> (int) all.get(i).prefill(),
                        i -> (int) all.get(i).actual(),
                        Optional.empty());
        return new RunConditions(
                measurement.model().orElse("model not stated"),
                measurement.hardware().orElse("hardware not stated"),
                engine(measurement.about().get("engine").orElse(JsonValue.NULL)),
                "",
                requests,
                workload.isPresent() ? ConditionText.load(workload) : "",
                workload.isPresent() ? ConditionText.seeds(workload) : "",
                workload.flatMap(WorkloadDocument::maxTokens)
                        .map(limit -> limit + " tokens (workload.max_tokens)")
                        .orElse(""),
                workload.flatMap(WorkloadDocument::truncation).stream().toList(),
                List.of(),
                List.of());
    }

    private static String engine(JsonValue stated) {
        JsonValue name =
                stated instanceof JsonValue.Obj object ? object.get("name").orElse(JsonValue.NULL) : stated;
        return name instanceof JsonValue.Str text ? "engine " + text.value() : "engine not stated";
    }

    String contents() {
        Requests requests = measurement.requests();
        if (requests.size() == 0) {
            int steps = measurement.operations().steps().size();
            return measurement.aggregatesOnly()
                    ? "aggregates only"
                    : steps > 0 ? Count.of(steps, "step") + " of an engine" : "operators and collectives";
        }
        return Count.of(requests.size(), "request") + ", " + failed() + " failed"
                + (cancelled() > 0 ? ", " + cancelled() + " given up by their client" : "") + "; token times "
                + (requests.hasChunks() ? "measured" : "not measured");
    }

    DataTable times() {
        DataTable table =
                new DataTable("Times per request").columns("metric", "#n", "#mean", "#P50", "#P90", "#P99", "#max");
        samples().forEach((name, values) -> row(table, name, values));
        return table;
    }

    DataTable published() {
        DataTable table =
                new DataTable("Aggregates of the file").columns("metric", "definition", "statistic", "#value");
        return table.rows(
                measurement.published(),
                figure -> List.of(
                        title(figure.metric()),
                        figure.definition(),
                        figure.statistic(),
                        TimeScale.fit(figure.valueNs()).withUnit(figure.valueNs())));
    }

    /** Returns the display name of a metric. */
    private static String title(String metric) {
        return metric.length() <= 4 ? metric.toUpperCase(Locale.ROOT) : metric.replace('_', ' ');
    }

    DataTable operators() {
        DataTable table =
                new DataTable("Operators that took longest").columns("operator", "device", "#calls", "#total");
        measurement.operations().rows().stream()
                .limit(MAX_OPERATORS)
                .forEach(op -> table.row(
                        op.name(),
                        op.device(),
                        Numbers.count(op.count()),
                        TimeScale.fit(op.totalNs()).withUnit(op.totalNs())));
        return table;
    }

    private static void row(DataTable table, String name, double[] values) {
        if (values.length == 0) {
            table.row(title(name), "0", Numbers.NONE, Numbers.NONE, Numbers.NONE, Numbers.NONE, Numbers.NONE);
            return;
        }
        Moments moments = Moments.of(values);
        double median = Quantiles.of(values, 0.5);
        TimeScale scale = TimeScale.fit(median);
        table.row(
                title(name) + " (" + scale.unit() + ")",
                Numbers.count(values.length),
                scale.text(moments.mean()),
                scale.text(median),
                scale.text(Quantiles.of(values, 0.9)),
                scale.text(Quantiles.of(values, 0.99)),
                scale.text(moments.max()));
    }
}
