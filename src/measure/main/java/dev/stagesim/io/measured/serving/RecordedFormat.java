package dev.stagesim.io.measured.serving;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The product's recording format: a directory with {@code recording.json}, {@code request_metrics.csv} and, if tokens were
 * measured, {@code token_metrics.csv}.
 */
public final class RecordedFormat extends ResultFormat {
    static final String DESCRIPTION = "recording.json";
    private static final List<String> MEMBERS =
            List.of(("format title attribution model hardware workload engine settings clock definitions "
                            + "published samples other_simulations notes")
                    .split(" ", 0));
    private static final List<String> HANDED_ON = List.of(
            ("title attribution workload engine settings clock definitions samples other_simulations " + "notes")
                    .split(" ", 0));

    public RecordedFormat() {
        super("recorded", "a directory with recording.json and request_metrics.csv");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.holds(DESCRIPTION);
    }

    @Override
    public Measurement read(Path directory, ReadOptions options) throws IOException {
        options.refuse(true, true, "a recording contains one result and its arrivals");
        LocatedJson json = Json.read(directory.resolve(DESCRIPTION));
        json.allowOnly(MEMBERS);
        String format = json.get("format").asString();
        if (!format.equals("stagesim-recording/1")) {
            throw json.get("format").expected("\"stagesim-recording/1\"");
        }
        String source = json.get("attribution").get("source").asString();
        MeasurementBuilder builder = new MeasurementBuilder(name(), source, directory.toString());
        HANDED_ON.forEach(name -> json.find(name).ifPresent(at -> builder.about(name, at.value())));
        builder.model(json.get("model").asString())
                .hardware(json.get("hardware").asString());
        json.find("published")
                .map(LocatedJson::items)
                .orElse(List.of())
                .forEach(at -> builder.published(Published.read(at), at.where()));
        json.find("notes").map(LocatedJson::asStrings).orElse(List.of()).forEach(builder::warn);
        String file = directory.resolve(Tables.REQUEST_METRICS.name()).toString();
        requests(directory).all().forEach(request -> builder.request(file, request));
        return builder.done();
    }

    public static Requests requests(Path directory) throws IOException {
        Map<Long, long[]> tokens = tokens(directory.resolve(Tables.TOKEN_METRICS.name()));
        List<Request> requests = new ArrayList<>();
        for (RequestRow row : RequestRow.read(directory.resolve(Tables.REQUEST_METRICS.name()))) {
            long[] chunks = tokens.getOrDefault(row.id(), new long[0]);
            requests.add(new Request(
                    String.valueOf(row.id()),
                    row.arrival(),
                    row.first(),
                    row.completion(),
                    row.prefill(),
                    Math.max(1, row.requested()),
                    row.actual(),
                    row.status(),
                    chunks,
                    chunks.length == row.actual()));
        }
        return new Requests(requests);
    }

    private static Map<Long, long[]> tokens(Path file) throws IOException {
        Map<Long, List<Long>> byRequest = new HashMap<>();
        if (!TableFile.exists(file)) {
            return Map.of();
        }
        try (TableReader rows = TableReader.open(file, Tables.TOKEN_METRICS)) {
            int id = rows.column("request_id");
            int time = rows.column("token_time_ns");
            while (rows.next()) {
                byRequest
                        .computeIfAbsent(rows.longAt(id), r -> new ArrayList<>())
                        .add(rows.longAt(time));
            }
        }
        Map<Long, long[]> times = new HashMap<>();
        byRequest.forEach((id, list) ->
                times.put(id, list.stream().mapToLong(Long::longValue).toArray()));
        return times;
    }
}
