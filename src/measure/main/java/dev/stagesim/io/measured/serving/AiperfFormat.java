package dev.stagesim.io.measured.serving;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * Records of NVIDIA AIPerf, one line of JSON per request.
 *
 * <p>Time stamps come from the wall clock and durations from a monotonic clock. Arrivals are therefore differences of
 * stamps, and all other times are durations. Every value has its unit.
 */
public final class AiperfFormat extends ResultFormat {
    private static final String RECORDS = "profile_export.jsonl";
    private static final String SUMMARY = "profile_export_aiperf.json";

    /** Maximum rounding difference between the latency and the sum of the gaps. */
    private static final long ROUNDING_NS = 1000;

    /**
     * Tolerance between wall clock and monotonic clock. The wall clock may be adjusted during a run, and the last message of
     * a stream may contain no token.
     */
    private static final double CLOCK_TOLERANCE_NS = 1e8;

    public AiperfFormat() {
        super("aiperf", "profile_export.jsonl of AIPerf, or its directory");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.holds(RECORDS)
                || (file.hasMembers("metadata", "metrics")
                        && file.first().orElseThrow().get("metadata").has("request_start_ns"));
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "AIPerf records describe one run and contain send times");
        Path file = Files.isDirectory(path) ? path.resolve(RECORDS) : path;
        MeasurementBuilder builder = new MeasurementBuilder(name(), "AIPerf", file.toString());
        builder.clock("wall clock for arrivals, monotonic clock for durations");
        builder.means("ttft", "request start to first response, reasoning included");
        builder.means("tpot", "A: inter_token_latency, (latency - ttft) / (tokens - 1)");
        builder.means("token_gap", "B: inter_chunk_latency");
        readSummary(file.resolveSibling(SUMMARY), builder);
        List<Row> rows = new ArrayList<>();
        long origin = Long.MAX_VALUE;
        long warmUp = 0;
        try (JsonDocuments lines = ResultFile.stream(file)) {
            for (Optional<LocatedJson> line = lines.next(); line.isPresent(); line = lines.next()) {
                Entry entry = JsonBinder.FOREIGN.bind(line.get(), Entry.class);
                if (entry.metadata().benchmarkPhase().orElse("").equals("warmup")) {
                    warmUp++;
                    continue;
                }
                origin = Math.min(origin, entry.metadata().requestStartNs());
                rows.add(new Row(line.get().where(), entry));
            }
        }
        if (warmUp > 0) {
            builder.warn("left out: " + Count.of(warmUp, "request") + " of the warm-up");
        }
        requests(builder, rows, origin);
        rows.stream()
                .limit(1)
                .flatMap(row -> row.entry().metadata().modelName().stream())
                .forEach(builder::model);
        return builder.done();
    }

    private static void requests(MeasurementBuilder builder, List<Row> rows, long origin) {
        boolean isStreamed = rows.stream().anyMatch(row -> row.entry().hasFirstToken());
        if (!isStreamed) {
            builder.warn(
                    "no record has a time to first token, so the run did not stream: only end-to-end latencies are read");
            builder.derive("e2e", "norm_latency");
        }
        List<Row> drifted = rows.stream()
                .filter(row -> Math.abs(row.entry().driftNs()) > CLOCK_TOLERANCE_NS)
                .toList();
        if (!drifted.isEmpty()) {
            Row example = drifted.get(0);
            builder.warn(Count.of(drifted.size(), "request") + " with request_end_ns - request_start_ns different from"
                    + " request_latency, for example " + example.where() + " by "
                    + ToolUnits.ms(example.entry().driftNs())
                    + ". The clock was adjusted or a value is wrong; request_latency"
                    + " is used");
        }
        long untimed = 0;
        for (Row row : rows) {
            Entry entry = row.entry();
            if (!entry.agrees(builder, row.where())) {
                continue;
            }
            long start = isStreamed ? ToolUnits.since(entry.metadata().requestStartNs(), origin) : 0;
            Request request = entry.request(row.where(), start);
            boolean isTimed = !request.completed() || request.actual() == 1 || entry.hasFirstToken();
            if (isStreamed && isTimed) {
                builder.request(row.where(), request);
            } else if (isStreamed) {
                untimed++;
            } else if (request.completed()) {
                builder.undated(row.where(), request);
            }
        }
        if (untimed > 0) {
            builder.warn("left out: " + Count.of(untimed, "request") + " without a time to first token");
        }
        builder.failed(isStreamed ? 0 : rows.size() - builder.undated());
    }

    /** Reads the model and the load settings from the summary next to the records, if present. */
    private static void readSummary(Path summary, MeasurementBuilder builder) throws IOException {
        if (Files.exists(summary)) {
            Json.read(summary, JsonMode.NON_FINITE)
                    .find("input_config")
                    .ifPresent(config -> AiperfInput.read(config, builder));
        }
    }

    /** A record and its place in the file. */
    private record Row(String where, Entry entry) {}

    private record Entry(Metadata metadata, Metrics metrics, Optional<JsonValue> error) {
        boolean hasFirstToken() {
            return metrics.timeToFirstToken().isPresent();
        }

        /** Compares the time per token with the value that other times of the record imply. */
        boolean agrees(MeasurementBuilder builder, String where) {
            double latency = metrics.requestLatency().map(Time::ns).orElse(0L);
            double first = metrics.timeToFirstToken().map(Time::ns).orElse(0L);
            double tokens = metrics.outputSequenceLength().map(Length::value).orElse(0.0);
            Optional<Time> perToken = metrics.interTokenLatency().filter(time -> time.value() > 0);
            if (latency <= 0 || first <= 0) {
                return true;
            }
            return perToken.isEmpty()
                    || tokens < 2
                    || builder.agrees(
                            where,
                            "inter_token_latency (ns)",
                            perToken.get().ns(),
                            (latency - first) / (tokens - 1),
                            ROUNDING_NS);
        }

        /** Returns the time between the two stamps minus the latency; 0 if a value is absent. */
        double driftNs() {
            boolean isKnown = metadata.requestEndNs().isPresent()
                    && metrics.requestLatency().isPresent();
            return isKnown
                    ? ToolUnits.since(metadata.requestEndNs().get(), metadata.requestStartNs())
                            - (double) metrics.requestLatency().get().ns()
                    : 0;
        }

        Request request(String where, long arrival) {
            String id = metadata.xRequestId().orElse(where);
            long input = metrics.inputSequenceLength().map(Length::tokens).orElse(0L);
            long output = metrics.outputSequenceLength().map(Length::tokens).orElse(0L);
            boolean isCancelled = metadata.wasCancelled().orElse(false);
            boolean hasError =
                    error.filter(value -> !(value instanceof JsonValue.Null)).isPresent();
            Optional<Time> latency = metrics.requestLatency();
            if (isCancelled || hasError || latency.isEmpty()) {
                RequestStatus status = isCancelled ? RequestStatus.CANCELLED : RequestStatus.FAILED;
                return Request.failed(id, arrival, input, output, status);
            }
            // without streaming, the first token arrives with the last one
            long first =
                    arrival + metrics.timeToFirstToken().orElse(latency.get()).ns();
            long completion = arrival + latency.get().ns();
            return Request.completed(id, arrival, first, completion, input, output, metrics.chunks(first, completion));
        }
    }

    private record Metadata(
            Optional<String> xRequestId,
            long requestStartNs,
            Optional<Long> requestEndNs,
            Optional<String> benchmarkPhase,
            Optional<Boolean> wasCancelled,
            Optional<String> modelName) {}

    private record Metrics(
            Optional<Time> timeToFirstToken,
            Optional<Time> requestLatency,
            Optional<Length> inputSequenceLength,
            Optional<Length> outputSequenceLength,
            Optional<Time> interTokenLatency,
            Optional<ChunkGaps> interChunkLatency) {
        private static final double[] NONE = {};

        long[] chunks(long first, long completion) {
            double[] gaps = interChunkLatency.map(ChunkGaps::ns).orElse(NONE);
            if (gaps.length == 0) {
                return first == completion ? new long[] {first} : new long[0];
            }
            long[] chunks = new long[gaps.length + 1];
            double at = first;
            for (int i = 0; i < chunks.length; i++) {
                at += i == 0 ? 0 : gaps[i - 1];
                long chunk = ToolUnits.round(at);
                chunks[i] = Math.abs(chunk - completion) <= ROUNDING_NS ? completion : chunk;
            }
            return chunks;
        }
    }

    private record Length(double value) {
        long tokens() {
            return ToolUnits.round(value);
        }
    }

    record Time(double value, String unit) {
        Time {
            ToolUnits.ns(unit);
        }

        long ns() {
            return ToolUnits.round(value * ToolUnits.ns(unit));
        }
    }

    /** Gaps between chunks. Some versions write only their mean. */
    record ChunkGaps(JsonValue value, String unit) {
        ChunkGaps {
            ToolUnits.ns(unit);
        }

        double[] ns() {
            LocatedJson values = new LocatedJson("inter_chunk_latency", "", value);
            return values.isArray()
                    ? DoubleStream.of(values.asDoubles())
                            .map(gap -> gap * ToolUnits.ns(unit))
                            .toArray()
                    : Metrics.NONE;
        }
    }
}
