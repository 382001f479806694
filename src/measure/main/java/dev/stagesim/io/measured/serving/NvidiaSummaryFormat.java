package dev.stagesim.io.measured.serving;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.io.measured.ToolUnits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Summary of AIPerf and of GenAI-Perf: JSON with a unit and statistics for each metric, or CSV with the unit in the
 * metric's name.
 *
 * <p>Both tools define inter-token latency as the mean gap of a request (definition A of specs/measurements.md).
 */
public final class NvidiaSummaryFormat extends ResultFormat {
    private static final Map<String, String> METRICS = new TreeMap<>(
            Map.of("time_to_first_token", "ttft", "inter_token_latency", "tpot", "request_latency", "e2e"));

    public NvidiaSummaryFormat() {
        super("genai_perf_summary", "profile_export_aiperf.json or profile_export_genai_perf.json, or their .csv");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        if (NvidiaCsv.recognises(file)) {
            return true;
        }
        return file.hasMembers("request_latency", "request_throughput")
                && file.first().orElseThrow().get("request_latency").isObject();
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "a summary has no requests");
        if (NvidiaCsv.recognises(FormatProbe.at(file))) {
            options.refuse(true, true, "a summary is of one run");
        }
        LocatedJson json = NvidiaCsv.recognises(FormatProbe.at(file))
                ? NvidiaCsv.read(file)
                : ResultSelector.pick(file, options, at -> "");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "AIPerf or GenAI-Perf", json.source());
        json.find("input_config").ifPresent(config -> AiperfInput.read(config, builder));
        builder.outputTokens(average(json, "output_sequence_length").map(LocatedJson::asDouble));
        builder.promptTokens(average(json, "input_sequence_length").map(LocatedJson::asDouble));
        builder.fact(RunFact.COMPLETED_REQUESTS, average(json, "request_count"));
        json.find("benchmark_duration")
                .ifPresent(at -> builder.fact(RunFact.DURATION_NS, at.find("avg"), ToolUnits.ns(at.get("unit"))));
        builder.failed(errors(json));
        if (json.find("was_cancelled")
                .filter(at -> at.value().equals(JsonValue.of(true)))
                .isPresent()) {
            builder.warn("the run was cancelled before its end");
        }
        builder.means("tpot", "A: inter_token_latency, (latency - ttft) / (tokens - 1)");
        METRICS.forEach((tag, metric) -> json.find(tag)
                .ifPresent(at -> builder.statistics(
                        metric, metric.equals("tpot") ? "A" : "", Optional.of(at), ToolUnits.ns(at.get("unit")))));
        // rates have no other statistic than the mean
        rate(builder, "requests_per_s", json.find("request_throughput"));
        rate(builder, "output_tokens_per_s", json.find("output_token_throughput"));
        return builder.done();
    }

    private static void rate(MeasurementBuilder builder, String name, Optional<LocatedJson> rate) {
        rate.ifPresent(at -> builder.rate(name, at.find("avg"), at.find("unit")));
    }

    private static long errors(LocatedJson json) {
        return json
                .find("error_summary")
                .filter(LocatedJson::isArray)
                .map(LocatedJson::items)
                .orElse(List.of())
                .stream()
                .mapToLong(error ->
                        error.find("count").map(MeasurementBuilder::count).orElse(1L))
                .sum();
    }

    private static Optional<LocatedJson> average(LocatedJson json, String tag) {
        return json.find(tag).flatMap(at -> at.find("avg"));
    }

    /**
     * Converts the summary CSV of AIPerf and GenAI-Perf to the object of their JSON summary. The CSV has several
     * sections, each with a header. A metric's unit is in parentheses after its name, and numbers may contain commas.
     */
    private static final class NvidiaCsv {
        private static final Pattern NAME = Pattern.compile("(.+?) \\(([^)]+)\\)");
        private static final Pattern COMMA = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

        private NvidiaCsv() {}

        static boolean recognises(FormatProbe file) {
            return file.hasColumns("Metric", "avg") && file.head().contains("Request Latency");
        }

        static LocatedJson read(Path file) throws IOException {
            JsonObjectBuilder all = JsonValue.object();
            List<String> header = List.of();
            for (String line : InputFile.text(file).lines().toList()) {
                List<String> cells = COMMA.splitAsStream(line)
                        .map(cell -> cell.replace("\"", "").strip())
                        .toList();
                if (cells.get(0).equals("Metric")) {
                    header = cells;
                } else if (cells.size() > 1 && cells.size() == header.size()) {
                    add(all, header, cells);
                }
            }
            return new LocatedJson(file.toString(), "", all.build());
        }

        private static void add(JsonObjectBuilder all, List<String> header, List<String> cells) {
            Matcher name = NAME.matcher(cells.get(0));
            boolean unit = name.matches();
            JsonObjectBuilder metric = JsonValue.object().put("unit", unit ? name.group(2) : "");
            for (int i = 1; i < cells.size(); i++) {
                String number = cells.get(i).replace(",", "");
                if (number.matches("[-+]?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?")) {
                    metric.put(header.get(i).equals("Value") ? "avg" : header.get(i), Double.parseDouble(number));
                }
            }
            String key = (unit ? name.group(1) : cells.get(0))
                    .toLowerCase(Locale.ROOT)
                    .replace(' ', '_');
            all.put(key, metric.build());
        }
    }
}
