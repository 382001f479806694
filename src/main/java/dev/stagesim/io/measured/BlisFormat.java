package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.ArrivalTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of a BLIS TraceV2: a CSV with stamps in us, of real or simulated runs, with a header in YAML beside it that says how many of
 * the first requests were to warm up.
 */
final class BlisFormat extends ResultFormat {
    private static final String TRACE = "trace.csv";
    private static final long NS_PER_US = 1000;

    BlisFormat() {
        super("blis", "the CSV of a BLIS TraceV2, or the directory with trace.csv and trace.yaml");
    }

    @Override
    boolean recognises(Glimpse file) {
        return (file.holds(TRACE) && file.holds("trace.yaml"))
                || file.hasColumns("request_id", "arrival_time_us", "first_chunk_time_us", "last_chunk_time_us");
    }

    @Override
    Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, false, "a trace is of one run");
        Path file = Files.isDirectory(path) ? path.resolve(TRACE) : path;
        boolean sent = options.arrivals().filter(ArrivalTime.SENT::equals).isPresent();
        LooseTable rows = LooseTable.read(file);
        Draft draft = new Draft(name(), "BLIS TraceV2", file.toString());
        draft.clock("us since the start of the trace");
        draft.means("ttft", (sent ? "send" : "arrival") + " to first chunk");
        int warmUp = warmUp(file, draft);
        long origin = Long.MAX_VALUE;
        for (int i = warmUp; i < rows.size(); i++) {
            origin = Math.min(origin, arrival(rows, i, sent));
        }
        List<Request> requests = new ArrayList<>();
        for (int i = warmUp; i < rows.size(); i++) {
            requests.add(request(rows, i, origin, sent));
        }
        return draft.requests(requests).done();
    }

    /** Requests at the head of the trace that were to warm up, by the header beside it. */
    private static int warmUp(Path file, Draft draft) throws IOException {
        Path header = file.resolveSibling(file.getFileName().toString().replaceFirst("\\.csv$", "") + ".yaml");
        if (!Files.exists(header)) {
            return 0;
        }
        JsonAt said = Yaml.read(header);
        draft.settings(said);
        int count = said.find("warm_up_requests")
                .map(at -> Math.toIntExact(at.asLong()))
                .orElse(0);
        if (count > 0) {
            draft.warn("the first " + count + " requests were to warm up and are left out");
        }
        return count;
    }

    private static long arrival(LooseTable rows, int i, boolean sent) {
        return Math.round(rows.number(i, sent ? "send_time_us" : "arrival_time_us") * NS_PER_US);
    }

    private static Request request(LooseTable rows, int i, long origin, boolean sent) {
        long arrival = arrival(rows, i, sent) - origin;
        String id = rows.text(i, "request_id");
        String input = rows.has("server_input_tokens") && rows.number(i, "server_input_tokens") > 0
                ? "server_input_tokens"
                : "input_tokens";
        long prefill = Math.round(rows.number(i, input));
        long output = Math.round(rows.number(i, "output_tokens"));
        boolean ok =
                rows.text(i, "status").equals("ok") || rows.text(i, "status").equals("completed");
        if (!ok || output < 1) {
            return Request.failed(id, arrival, prefill, output, RequestStatus.FAILED);
        }
        long first = Math.round(rows.number(i, "first_chunk_time_us") * NS_PER_US) - origin;
        long last = Math.round(rows.number(i, "last_chunk_time_us") * NS_PER_US) - origin;
        return Request.completed(id, arrival, first, last, prefill, output, new long[0]);
    }
}
