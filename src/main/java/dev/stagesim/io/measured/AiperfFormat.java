package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Records of NVIDIA AIPerf, one JSON line a request.
 *
 * <p>Stamps are of the wall clock and durations of a monotonic one, so arrivals are differences of stamps and everything
 * else follows from durations. Every value has its own unit.
 */
final class AiperfFormat extends ResultFormat {
    private static final String RECORDS = "profile_export.jsonl";
    private static final String SUMMARY = "profile_export_aiperf.json";

    /** Sums of gaps are rounded differently from the latency. */
    private static final long ROUNDING_NS = 1000;

    AiperfFormat() {
        super("aiperf", "profile_export.jsonl of AIPerf, or the directory that holds it");
    }

    @Override
    boolean recognises(Glimpse file) {
        return file.holds(RECORDS)
                || (file.hasMembers("metadata", "metrics")
                        && file.first().orElseThrow().get("metadata").has("request_start_ns"));
    }

    @Override
    Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "AIPerf's records are of one run and say when requests were sent");
        Path file = Files.isDirectory(path) ? path.resolve(RECORDS) : path;
        Draft draft = new Draft(name(), "AIPerf", file.toString());
        draft.clock("wall clock for arrivals, monotonic clock for durations");
        draft.means("ttft", "request start to first response, reasoning included");
        draft.means("tpot", "A: inter_token_latency, (latency - ttft) / (tokens - 1)");
        draft.means("token_gap", "B: inter_chunk_latency");
        beside(file.resolveSibling(SUMMARY), draft);
        List<JsonAt> records = new ArrayList<>();
        long origin = Long.MAX_VALUE;
        long warmUp = 0;
        try (JsonDocuments lines = Json.stream(file, JsonMode.NON_FINITE)) {
            for (Optional<JsonAt> line = lines.next(); line.isPresent(); line = lines.next()) {
                JsonAt metadata = line.get().get("metadata");
                if (metadata.text("benchmark_phase", "").equals("warmup")) {
                    warmUp++;
                    continue;
                }
                origin = Math.min(origin, metadata.get("request_start_ns").asLong());
                records.add(line.get());
            }
        }
        if (warmUp > 0) {
            draft.warn("left out: " + Count.of(warmUp, "request") + " of the warm-up");
        }
        boolean isStreamed = records.stream()
                .anyMatch(record ->
                        record.get("metrics").find("time_to_first_token").isPresent());
        if (!isStreamed) {
            draft.warn("no record has a time to first token, as without streaming: only whole latencies are read");
            draft.derive("e2e", "norm_latency");
        }
        long untimed = 0;
        for (JsonAt record : records) {
            Request request = request(
                    record,
                    isStreamed
                            ? origin
                            : record.get("metadata").get("request_start_ns").asLong());
            boolean isTimed = !request.completed()
                    || request.actual() == 1
                    || record.get("metrics").find("time_to_first_token").isPresent();
            if (isStreamed && isTimed) {
                draft.request(record.where(), request);
            } else if (isStreamed) {
                untimed++;
            } else if (request.completed()) {
                draft.undated(record.where(), request);
            }
        }
        if (untimed > 0) {
            draft.warn("left out: " + Count.of(untimed, "request") + " without a time to first token");
        }
        draft.failed(isStreamed ? 0 : records.size() - draft.undated());
        records.stream()
                .limit(1)
                .flatMap(record -> record.get("metadata").find("model_name").stream())
                .forEach(name -> draft.model(Optional.of(name)));
        return draft.done();
    }

    /** The summary beside the records names the model and the settings of the load. */
    private static void beside(Path summary, Draft draft) throws IOException {
        if (Files.exists(summary)) {
            Json.read(summary, JsonMode.NON_FINITE)
                    .find("input_config")
                    .ifPresent(config -> AiperfInput.read(config, draft));
        }
    }

    private static Request request(JsonAt record, long origin) {
        JsonAt metadata = record.get("metadata");
        JsonAt metrics = record.get("metrics");
        String id = metadata.text("x_request_id", record.where());
        long arrival = Units.since(metadata.get("request_start_ns").asLong(), origin);
        long input = value(metrics, "input_sequence_length").map(Units::round).orElse(0L);
        long output = value(metrics, "output_sequence_length").map(Units::round).orElse(0L);
        boolean cancelled = metadata.flag("was_cancelled");
        Optional<Double> ttft = nanos(metrics, "time_to_first_token");
        Optional<Double> latency = nanos(metrics, "request_latency");
        if (cancelled || record.find("error").isPresent() || latency.isEmpty()) {
            RequestStatus status = cancelled ? RequestStatus.CANCELLED : RequestStatus.FAILED;
            return Request.failed(id, arrival, input, output, status);
        }
        // without streaming the first token is seen when the last is
        long first = arrival + Units.round(ttft.orElse(latency.get()));
        long completion = arrival + Units.round(latency.get());
        return Request.completed(id, arrival, first, completion, input, output, chunks(metrics, first, completion));
    }

    private static long[] chunks(JsonAt metrics, long first, long completion) {
        Optional<JsonAt> gaps = metrics.find("inter_chunk_latency");
        if (gaps.isEmpty() || !gaps.get().get("value").isArray()) {
            return first == completion ? new long[] {first} : new long[0];
        }
        double unit = Units.ns(gaps.get().get("unit"));
        double[] values = gaps.get().get("value").asDoubles();
        long[] chunks = new long[values.length + 1];
        double at = first;
        for (int i = 0; i < chunks.length; i++) {
            at += i == 0 ? 0 : values[i - 1] * unit;
            long chunk = Units.round(at);
            chunks[i] = Math.abs(chunk - completion) <= ROUNDING_NS ? completion : chunk;
        }
        return chunks;
    }

    private static Optional<Double> value(JsonAt metrics, String tag) {
        return metrics.find(tag).map(metric -> metric.get("value").asDouble());
    }

    private static Optional<Double> nanos(JsonAt metrics, String tag) {
        return metrics.find(tag).map(metric -> metric.get("value").asDouble() * Units.ns(metric.get("unit")));
    }
}
