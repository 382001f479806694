package dev.stagesim.io.measured.serving;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.csv.LooseTable;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Request metrics of Vidur ({@code request_metrics.csv}) and of Sarathi-Serve ({@code sequence_metrics.csv}), in s.
 *
 * <p>Arrivals are the running sum of the inter-arrival delays, in order of request. Rows without a latency never completed.
 * In Sarathi-Serve an id is {@code replica_request}, rows are sorted by this text, each replica counts its delays, and a
 * request that was ignored or did not end has no lengths.
 */
public final class VidurFormat extends ResultFormat {
    private static final Pattern ID = Pattern.compile("(?:(\\d{1,9})_)?(\\d{1,18})(?:\\.0)?");
    private static final List<String> NAMES = List.of("request_metrics.csv", "sequence_metrics.csv");

    public VidurFormat() {
        super("vidur", "request_metrics.csv of Vidur or sequence_metrics.csv of Sarathi-Serve");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasColumns("request_e2e_time", "prefill_e2e_time", "request_inter_arrival_delay")
                || (file.isDirectory() && file.holds("sequence_metrics.csv"));
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "the file describes one run and contains the arrivals");
        Path file = Files.isDirectory(path)
                ? NAMES.stream()
                        .map(path::resolve)
                        .filter(Files::exists)
                        .findFirst()
                        .orElse(path.resolve(NAMES.get(0)))
                : path;
        LooseTable rows = ResultFile.table(file);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "Vidur or Sarathi-Serve", file.toString());
        builder.clock("seconds since the start of the run");
        builder.means("ttft", "prefill_e2e_time: arrival to the end of the first prefill");
        String id = rows.has("Request Id") ? "Request Id" : "request_id";
        boolean named = rows.has(id);
        List<Row> order = IntStream.range(0, rows.size())
                .mapToObj(i -> named ? row(i, rows.text(i, id), file) : new Row(i, 0, i))
                .sorted(Comparator.comparingLong(Row::replica).thenComparingLong(Row::number))
                .toList();
        double arrival = 0;
        int unknown = 0;
        long replica = order.isEmpty() ? 0 : order.get(0).replica();
        boolean several = false;
        for (Row row : order) {
            int i = row.index();
            boolean next = row.replica() != replica;
            several |= next;
            replica = row.replica();
            double delay =
                    rows.isEmpty(i, "request_inter_arrival_delay") ? 0 : rows.number(i, "request_inter_arrival_delay");
            arrival = next ? delay : arrival + delay;
            if (rows.isEmpty(i, "request_num_prefill_tokens") || rows.isEmpty(i, "request_num_decode_tokens")) {
                unknown++;
            } else {
                builder.request(rows.where(i), request(rows, i, named ? rows.text(i, id) : String.valueOf(i), arrival));
            }
        }
        warn(builder, several, unknown);
        return builder.done();
    }

    private static void warn(MeasurementBuilder builder, boolean several, int unknown) {
        if (several) {
            builder.warn("delays are counted in each replica: the first requests of all replicas are taken to arrive"
                    + " together");
        }
        if (unknown > 0) {
            builder.warn("left out: " + Count.of(unknown, "request") + " without lengths, ignored or never ended");
        }
    }

    /** The row, the replica and the number of a request in order of arrival. */
    private record Row(int index, long replica, long number) {}

    private static Row row(int index, String id, Path file) {
        Matcher parts = ID.matcher(id);
        if (!parts.matches()) {
            throw StageException.input(Problem.artifact(
                    file.toString(),
                    "request '" + id + "' has no number, expected 7 or 0_7: the order of arrivals is unknown"));
        }
        return new Row(
                index, parts.group(1) == null ? 0 : Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)));
    }

    private static Request request(LooseTable rows, int i, String id, double arrivalSeconds) {
        long arrival = ToolUnits.nanos(arrivalSeconds);
        long prefill = ToolUnits.round(rows.number(i, "request_num_prefill_tokens"));
        long decode = ToolUnits.round(rows.number(i, "request_num_decode_tokens"));
        if (rows.isEmpty(i, "request_e2e_time") || rows.isEmpty(i, "prefill_e2e_time")) {
            return Request.failed(id, arrival, prefill, decode, RequestStatus.UNFINISHED);
        }
        long first = ToolUnits.nanos(arrivalSeconds + rows.number(i, "prefill_e2e_time"));
        long last = ToolUnits.nanos(arrivalSeconds + rows.number(i, "request_e2e_time"));
        return Request.completed(id, arrival, first, last, prefill, decode, new long[0]);
    }
}
