package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A measurement that a format is putting together. */
final class Draft {
    private static final List<Double> USUAL = List.of(0.5, 0.9, 0.95, 0.99);

    private final String format;
    private final Map<String, JsonValue> engine = new TreeMap<>();
    private final Map<String, JsonValue> settings = new TreeMap<>();
    private final Map<String, JsonValue> definitions = new TreeMap<>();
    private final Map<String, JsonValue> rates = new TreeMap<>();
    private final Map<String, JsonValue> about = new TreeMap<>();
    private final Map<String, Published> published = new LinkedHashMap<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private Optional<String> model = Optional.empty();
    private Requests requests = new Requests(List.of());
    private Operations operations = Operations.NONE;

    Draft(String format, String tool, String file) {
        this.format = format;
        about.put(
                "attribution",
                JsonValue.object().put("source", tool + ", " + file).build());
    }

    Draft model(Optional<JsonAt> name) {
        model = name.map(JsonAt::asString).filter(text -> !text.isEmpty());
        return this;
    }

    /** Keeps a plain value that describes the engine. */
    Draft engine(String name, Optional<JsonAt> value) {
        value.ifPresent(at -> engine.put(name, JsonFacts.finite(at.value())));
        return this;
    }

    Draft engine(JsonAt object) {
        engine.putAll(JsonFacts.scalars(object, Set.of()).members());
        return this;
    }

    /** Keeps the plain values of an object as settings, without those named. */
    Draft settings(JsonAt object, String... except) {
        settings.putAll(JsonFacts.scalars(object, Set.of(except)).members());
        return this;
    }

    /** Keeps a plain value as a setting. */
    Draft setting(String name, JsonAt value) {
        boolean plain = !(value.isObject() || value.isArray() || value.value() instanceof JsonValue.Null);
        if (plain) {
            settings.put(name, JsonFacts.finite(value.value()));
        }
        return this;
    }

    Draft clock(String text) {
        about.put("clock", JsonValue.of(text));
        return this;
    }

    /** Says what a metric means in this tool. */
    Draft means(String metric, String text) {
        definitions.put(metric, JsonValue.of(text));
        return this;
    }

    /** A rate: requests, output tokens or all tokens per second, or what the tool counts besides. */
    Draft rate(String name, Optional<JsonAt> value) {
        value.map(JsonAt::asDouble).filter(Draft::says).ifPresent(rate -> rates.put(name, JsonValue.of(rate)));
        return this;
    }

    Draft rate(String name, double value) {
        rates.put(name, JsonValue.of(value));
        return this;
    }

    /** An aggregate; one that was never observed (0, NaN) says nothing and is left out. */
    Draft aggregate(String metric, String definition, String statistic, Optional<JsonAt> value, double unitNs) {
        value.map(JsonAt::asDouble)
                .filter(Draft::says)
                .ifPresent(number -> add(metric, definition, statistic, number * unitNs, Optional.empty()));
        return this;
    }

    Draft published(Published figure) {
        published.put(figure.metric() + figure.definition() + figure.statistic(), figure);
        return this;
    }

    Draft engine(String name, JsonValue value) {
        engine.put(name, value);
        return this;
    }

    private static boolean says(double value) {
        return value > 0 && Double.isFinite(value);
    }

    private void add(String metric, String definition, String statistic, double valueNs, Optional<Long> n) {
        published.put(
                metric + definition + statistic,
                new Published(metric, definition, statistic, valueNs, n, n.map(count -> Quantiles.METHOD)));
    }

    /** Mean and percentiles of values that stand in the file one by one, in ns, where when they happened does not. */
    Draft values(String metric, String definition, double[] ns) {
        if (ns.length > 0) {
            long n = ns.length;
            add(metric, definition, "mean", Moments.mean(ns), Optional.of(n));
            double[] sorted = Quantiles.sorted(ns);
            for (double q : USUAL) {
                String name = "p" + Math.round(q * 100);
                add(metric, definition, name, Quantiles.ofSorted(sorted, q), Optional.of(n));
            }
            add(metric, definition, "max", sorted[sorted.length - 1], Optional.of(n));
        }
        return this;
    }

    Draft values(String metric, String definition, List<Double> ns) {
        return values(
                metric, definition, ns.stream().mapToDouble(Double::doubleValue).toArray());
    }

    Draft warn(String text) {
        warnings.add(text);
        return this;
    }

    Draft requests(List<Requests.Request> all) {
        requests = new Requests(all);
        return this;
    }

    Draft operations(Operations table) {
        operations = table;
        return this;
    }

    Measurement done() {
        put("engine", engine);
        put("settings", settings);
        put("definitions", definitions);
        put("rates", rates);
        if (requests.size() == 0 && operations.isEmpty()) {
            warn("the file has aggregates only: runs are compared by those, not request by request");
        }
        return new Measurement(
                format,
                model,
                Optional.empty(),
                JsonValue.of(about),
                requests,
                new ArrayList<>(published.values()),
                operations,
                new ArrayList<>(warnings));
    }

    private void put(String name, Map<String, JsonValue> values) {
        if (!values.isEmpty()) {
            about.put(name, JsonValue.of(values));
        }
    }
}
