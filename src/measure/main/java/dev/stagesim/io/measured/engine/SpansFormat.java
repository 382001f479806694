package dev.stagesim.io.measured.engine;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Requests in traces of OpenTelemetry, as vLLM exports them ({@code --otlp-traces-endpoint}): OTLP JSON of a collector's
 * file exporter, or a download from Jaeger. Times are those of the engine, without the client and the HTTP server.
 */
public final class SpansFormat extends ResultFormat {
    private static final String LATENCY = "gen_ai.latency.e2e";
    private static final String FIRST = "gen_ai.latency.time_to_first_token";
    private static final String QUEUE = "gen_ai.latency.time_in_queue";
    private static final String PROMPT = "gen_ai.usage.prompt_tokens";
    private static final String OUTPUT = "gen_ai.usage.completion_tokens";
    private static final long NS_PER_US = 1000;
    private static final double MS_PER_S = 1e3;

    public SpansFormat() {
        super("otlp_spans", "OpenTelemetry spans of vLLM requests, OTLP JSON or JSON of Jaeger");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("resourceSpans")
                || (file.hasMembers("data") && file.head().contains("\"operationName\""));
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "spans have one arrival for each request");
        List<Span> requests = new ArrayList<>();
        long others = 0;
        for (LocatedJson document : ResultFile.documents(file)) {
            for (Span span : document.has("resourceSpans") ? otlp(document) : jaeger(document)) {
                if (span.values.containsKey(LATENCY)) {
                    requests.add(span);
                } else {
                    others++;
                }
            }
        }
        if (requests.isEmpty()) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "has no span with " + LATENCY)
                            .note("spans", String.valueOf(others))
                            .hint(
                                    "start vLLM with --otlp-traces-endpoint; spans of a gateway or a client have no token counts"));
        }
        return measurement(file.toString(), requests, others);
    }

    private Measurement measurement(String file, List<Span> requests, long others) {
        MeasurementBuilder builder = new MeasurementBuilder(name(), "OpenTelemetry spans", file);
        builder.clock("the engine's, since the first request").means("ttft", "arrival at the engine to first token");
        model(requests).ifPresent(builder::model);
        long origin = requests.stream().mapToLong(Span::start).min().orElseThrow();
        double queue = 0;
        long queued = 0;
        for (Span span : requests) {
            builder.request(span.at.where(), span.request(origin));
            if (span.values.containsKey(QUEUE)) {
                queue += span.seconds(QUEUE);
                queued++;
            }
        }
        if (queued == requests.size()) {
            builder.rate("queue_mean_ms", queue / queued * MS_PER_S);
        }
        if (others > 0) {
            builder.warn(Count.of(others, "span") + " without " + LATENCY + " left out");
        }
        builder.warn("failed and aborted requests have no span, and times exclude the client and the HTTP server");
        return builder.done();
    }

    /** Returns the model that answered the requests. Without its name, returns the requested one, which may be an alias. */
    private static Optional<String> model(List<Span> requests) {
        Set<String> names = names(requests, "gen_ai.response.model");
        if (names.isEmpty()) {
            names = names(requests, "gen_ai.request.model");
        }
        if (names.size() > 1) {
            throw StageException.input(Problem.artifact(
                            requests.get(0).at.source(), "has spans of several models: " + String.join(", ", names))
                    .hint("keep the spans of one model"));
        }
        return names.stream().findFirst();
    }

    private static Set<String> names(List<Span> requests, String key) {
        Set<String> names = new TreeSet<>();
        for (Span span : requests) {
            LocatedJson name = span.values.get(key);
            if (name != null) {
                names.add(name.asString());
            }
        }
        return names;
    }

    private static List<Span> otlp(LocatedJson document) {
        List<Span> spans = new ArrayList<>();
        for (LocatedJson resource : document.get("resourceSpans").items()) {
            for (LocatedJson scope : resource.get("scopeSpans").items()) {
                for (LocatedJson at : scope.get("spans").items()) {
                    spans.add(new Span(at, whole(at.get("startTimeUnixNano")), values(at, "attributes")));
                }
            }
        }
        return spans;
    }

    private static List<Span> jaeger(LocatedJson document) {
        List<Span> spans = new ArrayList<>();
        for (LocatedJson trace : document.get("data").items()) {
            for (LocatedJson at : trace.get("spans").items()) {
                spans.add(new Span(at, ns(at.get("startTime")), values(at, "tags")));
            }
        }
        return spans;
    }

    private static long ns(LocatedJson us) {
        long time = whole(us);
        if (Math.abs(time) > Long.MAX_VALUE / NS_PER_US) {
            throw us.expected("a time in us since 1970");
        }
        return time * NS_PER_US;
    }

    /** Returns the attributes by key. An OTLP value is an object with one member, named after its type. */
    private static Map<String, LocatedJson> values(LocatedJson span, String list) {
        Map<String, LocatedJson> values = new HashMap<>();
        for (LocatedJson attribute : span.find(list).map(LocatedJson::items).orElse(List.of())) {
            LocatedJson value = attribute.get("value");
            Optional<LocatedJson> typed =
                    value.isObject() ? value.members().values().stream().findFirst() : Optional.of(value);
            typed.ifPresent(of -> values.put(attribute.get("key").asString(), of));
        }
        return values;
    }

    /** Returns a whole number. The JSON of protobuf writes 64-bit numbers as text. */
    private static long whole(LocatedJson value) {
        if (value.value() instanceof JsonValue.Str text) {
            try {
                return Long.parseLong(text.value());
            } catch (NumberFormatException e) {
                throw value.expected("a whole number");
            }
        }
        return value.asLong();
    }

    /**
     * One request.
     *
     * @param start arrival in ns since 1970
     */
    private record Span(LocatedJson at, long start, Map<String, LocatedJson> values) {
        double seconds(String key) {
            return required(key).asDouble();
        }

        private LocatedJson required(String key) {
            LocatedJson value = values.get(key);
            if (value == null) {
                throw StageException.input(at.problem("has " + LATENCY + " but no " + key));
            }
            return value;
        }

        private long tokens(String key) {
            long count = whole(required(key));
            if (count < 0 || count > Integer.MAX_VALUE) {
                throw required(key).expected("a number from 0 to " + Integer.MAX_VALUE);
            }
            return count;
        }

        Request request(long origin) {
            long arrival = ToolUnits.since(start, origin);
            return Request.completed(
                    at.where(),
                    arrival,
                    arrival + ToolUnits.nanos(seconds(FIRST)),
                    arrival + ToolUnits.nanos(seconds(LATENCY)),
                    tokens(PROMPT),
                    tokens(OUTPUT),
                    new long[0]);
        }
    }
}
