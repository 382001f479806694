package dev.stagesim.io.measured.serving;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Requests of a BLIS TraceV2, real or simulated: a CSV with times in us, and a YAML header with the number of warm-up
 * requests.
 */
public final class BlisFormat extends ResultFormat {
    private static final String TRACE = "trace.csv";
    private static final long NS_PER_US = 1000;

    public BlisFormat() {
        super("blis", "the CSV of a BLIS TraceV2, or the directory with trace.csv and trace.yaml");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return (file.holds(TRACE) && file.holds("trace.yaml"))
                || file.hasColumns("request_id", "arrival_time_us", "first_chunk_time_us", "last_chunk_time_us");
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, false, "a trace is of one run");
        Path file = Files.isDirectory(path) ? path.resolve(TRACE) : path;
        LooseTable rows = ResultFile.table(file);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "BLIS TraceV2", file.toString());
        builder.clock("us since the start of the trace");
        int warmUp = warmUp(file, builder);
        boolean sent = countsFromSending(rows, warmUp, options, builder);
        builder.means("ttft", (sent ? "send" : "arrival") + " to first chunk");
        double origin = Double.POSITIVE_INFINITY;
        for (int i = warmUp; i < rows.size(); i++) {
            origin = Math.min(origin, arrival(rows, i, sent));
        }
        for (int i = warmUp; i < rows.size(); i++) {
            builder.request(
                    rows.where(i),
                    request(rows, i, origin, sent),
                    sent(rows, i, origin),
                    number(rows, i, "num_chunks"));
        }
        return builder.done();
    }

    /**
     * Selects the column of arrivals. Some traces count {@code arrival_time_us} from the start of the run and the other
     * columns from 1970, so their difference is meaningless.
     */
    private static boolean countsFromSending(
            LooseTable rows, int warmUp, ReadOptions options, MeasurementBuilder builder) {
        boolean sent = options.arrivals().filter(ArrivalTime.SENT::equals).isPresent();
        if (sent || warmUp >= rows.size() || !rows.has("send_time_us") || rows.number(warmUp, "send_time_us") == 0) {
            return sent;
        }
        double delay = rows.number(warmUp, "send_time_us") - rows.number(warmUp, "arrival_time_us");
        if (ToolUnits.isDuration(Math.abs(delay) * NS_PER_US)) {
            return false;
        }
        String origins = "arrival_time_us and send_time_us count from different origins (" + rows.where(warmUp) + ": "
                + rows.text(warmUp, "arrival_time_us") + " and " + rows.text(warmUp, "send_time_us") + ")";
        if (options.arrivals().isPresent()) {
            throw StageException.input(Problem.artifact(rows.file().toString(), origins)
                    .hint("real.arrivals=sent counts from the sending"));
        }
        builder.warn(origins + ": times count from the sending");
        return true;
    }

    /** Returns the number of warm-up requests at the start of the trace. The header file states it. */
    private static int warmUp(Path file, MeasurementBuilder builder) throws IOException {
        Path header = file.resolveSibling(file.getFileName().toString().replaceFirst("\\.csv$", "") + ".yaml");
        if (!Files.exists(header)) {
            return 0;
        }
        LocatedJson said = Yaml.read(header);
        builder.settings(said);
        int count = said.find("warm_up_requests")
                .map(MeasurementBuilder::count)
                .orElse(0L)
                .intValue();
        if (count > 0) {
            builder.warn("the first " + count + " requests were to warm up and are left out");
        }
        return count;
    }

    private static double arrival(LooseTable rows, int i, boolean sent) {
        return rows.number(i, sent ? "send_time_us" : "arrival_time_us");
    }

    /** Returns the time of sending, or none if the trace has none or it counts from another origin. */
    private static long sent(LooseTable rows, int i, double origin) {
        long stamp = number(rows, i, "send_time_us");
        double ns = (stamp - origin) * NS_PER_US;
        return stamp > 0 && ToolUnits.isDuration(Math.abs(ns)) ? ToolUnits.round(ns) : Requests.NONE;
    }

    private static long number(LooseTable rows, int i, String column) {
        return rows.has(column) && !rows.isEmpty(i, column) ? ToolUnits.round(rows.number(i, column)) : 0;
    }

    private static Request request(LooseTable rows, int i, double origin, boolean sent) {
        long arrival = ToolUnits.round((arrival(rows, i, sent) - origin) * NS_PER_US);
        String id = rows.text(i, "request_id");
        String input = rows.has("server_input_tokens") && rows.number(i, "server_input_tokens") > 0
                ? "server_input_tokens"
                : "input_tokens";
        long prefill = ToolUnits.round(rows.number(i, input));
        long output = ToolUnits.round(rows.number(i, "output_tokens"));
        boolean ok =
                rows.text(i, "status").equals("ok") || rows.text(i, "status").equals("completed");
        if (!ok) {
            return Request.failed(id, arrival, prefill, output, RequestStatus.FAILED);
        }
        long first = ToolUnits.round((rows.number(i, "first_chunk_time_us") - origin) * NS_PER_US);
        long last = ToolUnits.round((rows.number(i, "last_chunk_time_us") - origin) * NS_PER_US);
        return Request.completed(id, arrival, first, last, prefill, output, new long[0]);
    }
}
