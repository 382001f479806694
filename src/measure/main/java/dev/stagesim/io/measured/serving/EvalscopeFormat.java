package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.io.sqlite.SqliteFile;
import dev.stagesim.io.sqlite.SqliteRow;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Results of {@code evalscope perf}: a directory with a summary, the arguments and a database of the requests. Its time
 * per output token is definition A.
 */
public final class EvalscopeFormat extends ResultFormat {
    private static final String SUMMARY = "benchmark_summary.json";
    private static final String ARGUMENTS = "benchmark_args.json";
    private static final String REQUESTS = "benchmark_data.db";
    private static final String TABLE = "result";
    private static final String[] COLUMNS = {
        "start_time",
        "latency",
        "first_chunk_latency",
        "inter_token_latencies",
        "prompt_tokens",
        "completion_tokens",
        "success"
    };

    public EvalscopeFormat() {
        super("evalscope", "directory of evalscope perf, or its benchmark_summary.json");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.holds(SUMMARY) || file.hasMembers("Test Duration (s)", "Avg Latency (s)", "Total Requests");
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "evalscope describes one run, and its times count from the sending");
        Path file = Files.isDirectory(path) ? path.resolve(SUMMARY) : path;
        LocatedJson summary = Json.read(file);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "evalscope", file.toString());
        arguments(file.resolveSibling(ARGUMENTS), builder);
        builder.means("tpot", "A: (latency - ttft) / (tokens - 1)");
        builder.aggregate("ttft", "", "mean", summary.find("Avg TTFT (ms)"), NS_PER_MS);
        builder.aggregate("tpot", "A", "mean", summary.find("Avg TPOT (ms)"), NS_PER_MS);
        builder.aggregate("e2e", "", "mean", summary.find("Avg Latency (s)"), NS_PER_S);
        builder.outputTokens(summary.find("Avg Output Tokens").map(LocatedJson::asDouble));
        builder.promptTokens(summary.find("Avg Input Tokens").map(LocatedJson::asDouble));
        builder.fact(RunFact.SENT_REQUESTS, summary.find("Total Requests"))
                .fact(RunFact.COMPLETED_REQUESTS, summary.find("Success Requests"))
                .fact(RunFact.DURATION_NS, summary.find("Test Duration (s)"), NS_PER_S);
        builder.rate("requests_per_s", summary.find("Req Throughput (req/s)"));
        builder.rate("output_tokens_per_s", summary.find("Output Throughput (tok/s)"));
        Path database = file.resolveSibling(REQUESTS);
        if (Files.exists(database)) {
            requests(database, builder);
            return builder.done();
        }
        builder.warn("the requests are left out: there is no " + REQUESTS + " next to the summary");
        return builder.failed(summary.find("Failed Requests")).done();
    }

    /** Reads the model and the load from the arguments of the run, if they are next to the summary. */
    private static void arguments(Path file, MeasurementBuilder builder) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        LocatedJson arguments = Json.read(file);
        builder.model(arguments.find("model")).settings(arguments, "outputs_dir", "url", "headers", "api_key");
        // without a rate, evalscope keeps "parallel" requests in flight
        boolean hasRate = arguments.find("rate").map(LocatedJson::asDouble).orElse(-1.0) > 0;
        builder.closedLoop(arguments.find("parallel").filter(clients -> !hasRate));
    }

    private static void requests(Path database, MeasurementBuilder builder) throws IOException {
        builder.clock("the client's clock, s; a request arrives when it is sent");
        try (SqliteFile file = SqliteFile.open(database)) {
            if (!file.has(TABLE, COLUMNS)) {
                throw StageException.input(Problem.artifact(
                        database.toString(),
                        "has no table " + TABLE + " with the columns " + String.join(", ", COLUMNS)));
            }
            double[] origin = {Double.MAX_VALUE};
            file.rows(TABLE, row -> origin[0] = Math.min(origin[0], row.real("start_time")));
            int[] number = {0};
            file.rows(TABLE, row -> {
                String id = "evalscope-" + number[0]++;
                builder.request(database + " " + TABLE + " " + number[0], request(row, id, origin[0]));
            });
        }
    }

    private static Request request(SqliteRow row, String id, double origin) {
        long arrival = ToolUnits.nanos(row.real("start_time") - origin);
        long prompt = row.isNull("prompt_tokens") ? 0 : row.integer("prompt_tokens");
        long output = row.isNull("completion_tokens") ? 0 : row.integer("completion_tokens");
        if (row.integer("success") == 0) {
            return Request.failed(id, arrival, prompt, output, RequestStatus.FAILED);
        }
        long first = arrival + ToolUnits.nanos(row.real("first_chunk_latency"));
        long completion = arrival + ToolUnits.nanos(row.real("latency"));
        return Request.completed(id, arrival, first, completion, prompt, output, chunks(row, first, completion));
    }

    /** Returns the times of the chunks. The last one is the end of the request. */
    private static long[] chunks(SqliteRow row, long first, long completion) {
        Optional<double[]> gaps = Optional.of("inter_token_latencies")
                .filter(name -> !row.isNull(name))
                .map(name -> Json.parse(row.text(name), name).asDoubles());
        if (gaps.isEmpty() || gaps.get().length == 0) {
            return new long[0];
        }
        long[] chunks = new long[gaps.get().length + 1];
        double at = first;
        for (int i = 0; i < chunks.length; i++) {
            at += i == 0 ? 0 : gaps.get()[i - 1] * NS_PER_S;
            chunks[i] = Math.min(completion, ToolUnits.round(at));
        }
        chunks[chunks.length - 1] = completion;
        return chunks;
    }
}
