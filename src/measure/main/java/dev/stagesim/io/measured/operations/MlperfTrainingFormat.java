package dev.stagesim.io.measured.operations;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Log of an MLPerf training run: lines marked with {@code :::MLLOG} or the older {@code :::MLPv0.5.0} among other output;
 * times are ms since the epoch. Every rank may log, and the first line of each kind counts.
 */
public final class MlperfTrainingFormat extends ResultFormat {
    private static final Pattern MARK = Pattern.compile(":::(?:MLLOG|MLPv\\d+\\.\\d+\\.\\d+) (\\{.*})");

    /** The syntax of the first round: benchmark, seconds since the epoch, place, and a tag with or without a value. */
    private static final Pattern FIRST_ROUND =
            Pattern.compile(":::MLPv\\d+\\.\\d+\\.\\d+ (\\S+) (\\d+(?:\\.\\d+)?) \\([^)]*\\) (\\w+)(?:: (.*))?");

    private static final Map<String, String> FIRST_NAMES =
            Map.of("input_batch_size", "global_batch_size", "run_set_random_seed", "seed");

    private static final double MS_PER_S = 1e3;

    public MlperfTrainingFormat() {
        super("mlperf_training", "a log with the :::MLLOG lines of an MLPerf training run");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.head()
                        .lines()
                        .anyMatch(line -> (MARK.matcher(line).find() && line.contains("event_type"))
                                || FIRST_ROUND.matcher(line).find())
                && !file.head().contains("loadgen");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "a training log contains one run");
        Map<String, LocatedJson> first = new LinkedHashMap<>();
        Map<String, LocatedJson> last = new LinkedHashMap<>();
        List<String> lines = InputFile.text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            entry(lines.get(i), file + ":" + (i + 1)).ifPresent(at -> {
                first.putIfAbsent(at.get("key").asString(), at);
                last.put(at.get("key").asString(), at);
            });
        }
        if (!first.containsKey("run_start")) {
            throw StageException.input(Problem.artifact(file.toString(), "contains no run_start line"));
        }
        MeasurementBuilder builder = new MeasurementBuilder(name(), "MLPerf training log", file.toString());
        builder.clock("wall clock, ms");
        builder.model(value(first, "submission_benchmark"));
        for (String key :
                new String[] {"global_batch_size", "gradient_accumulation_steps", "submission_platform", "seed"}) {
            builder.engine(key, value(first, key));
        }
        Optional.ofNullable(last.get("run_stop"))
                .ifPresentOrElse(
                        stop -> stopped(builder, first.get("run_start"), stop),
                        () -> builder.warn("there is no run_stop: the run did not end well"));
        Optional.ofNullable(last.get("tracked_stats"))
                .map(at -> at.get("value"))
                .filter(LocatedJson::isObject)
                .flatMap(at -> at.find("throughput"))
                .ifPresent(at -> builder.rate("samples_per_s", Optional.of(at)));
        builder.rate("eval_accuracy", value(last, "eval_accuracy"));
        return builder.done();
    }

    /** The time of a run that failed or was aborted is not its time to train. */
    private static void stopped(MeasurementBuilder builder, LocatedJson start, LocatedJson stop) {
        Optional<LocatedJson> status = stop.find("metadata", "status").filter(at -> !at.isNull());
        if (status.isPresent() && !status.get().asString().equals("success")) {
            builder.warn("run_s is left out: the status of the run is '"
                    + status.get().asString() + "' in " + stop.where() + ", expected 'success'");
            return;
        }
        double ms = stop.get("time_ms").asDouble() - start.get("time_ms").asDouble();
        builder.rate("run_s", ms / MS_PER_S, stop.where());
    }

    /** A marked line as an object with {@code key}, {@code value} and {@code time_ms}. */
    private static Optional<LocatedJson> entry(String line, String place) {
        Matcher marked = MARK.matcher(line);
        if (marked.find()) {
            return Optional.of(Json.parse(marked.group(1), place));
        }
        Matcher old = FIRST_ROUND.matcher(line);
        if (!old.find()) {
            return Optional.empty();
        }
        String key = FIRST_NAMES.getOrDefault(old.group(3), old.group(3));
        return Optional.of(new LocatedJson(
                place,
                "",
                JsonValue.object()
                        .put("key", key)
                        .put("value", plain(old.group(4), place))
                        .put("time_ms", Double.parseDouble(old.group(2)) * MS_PER_S)
                        .build()));
    }

    /** Values of the first round are JSON or Python literals. */
    private static JsonValue plain(@Nullable String text, String place) {
        if (text == null) {
            return JsonValue.NULL;
        }
        try {
            return Json.parse(text, place).value();
        } catch (StageException e) {
            return JsonValue.of(text);
        }
    }

    private static Optional<LocatedJson> value(Map<String, LocatedJson> lines, String key) {
        return Optional.ofNullable(lines.get(key)).flatMap(at -> at.find("value"));
    }
}
