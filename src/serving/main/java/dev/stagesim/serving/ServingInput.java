package dev.stagesim.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.serving.MeasuredLoad.MeanRequests;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.Variates;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The requests of a serving workload. */
public final class ServingInput {
    /** Types of runs with requests: generated, measured, or served by a simulated server. */
    public static final List<String> SOURCES = List.of("workload", "real_bench", "serve_mock");

    private final int[] ids;
    private final long[] arrivalNs;
    private final RequestTrace trace;
    private final int longest;

    private ServingInput(int[] ids, long[] arrivalNs, RequestTrace trace, int longest) {
        this.ids = ids;
        this.arrivalNs = arrivalNs;
        this.trace = trace;
        this.longest = longest;
    }

    /** Returns the number of a request in the workload; numbers ascend. */
    public int id(int request) {
        return ids[request];
    }

    /** Returns the arrival time of a request in ns. */
    public long arrivalNs(int request) {
        return arrivalNs[request];
    }

    /** Returns true if the requests in flight are limited, so that a run sets the times of entry. */
    public boolean isClosed() {
        return trace.closedLoop().isPresent();
    }

    /** Returns the requests for the simulator, which numbers them from 0. */
    public RequestTrace trace() {
        return trace;
    }

    /** Returns the requests with turns of a session linked to their predecessors. */
    public ServingInput resumed() {
        return new ServingInput(ids, arrivalNs, trace.resumed(), longest);
    }

    /** Returns the arrival time of the first request in seconds; 0 without requests. */
    public double firstArrivalSeconds() {
        double first = Double.POSITIVE_INFINITY;
        for (int request = 0; request < trace.size(); request++) {
            first = Math.min(first, trace.arrivalSeconds(request));
        }
        return trace.size() == 0 ? 0 : first;
    }

    /** Returns the maximum prompt plus output tokens of a request. */
    public int longest() {
        return longest;
    }

    /**
     * Rejects requests beyond the context of a model, as engines do.
     *
     * @throws StageException (input) with the keys that allow them
     */
    public void requireContext(ModelCard model) {
        int limit = model.maxPosition();
        long over = IntStream.range(0, trace.size())
                .filter(i -> (long) trace.prefillTokens(i) + trace.decodeTokens(i) > limit)
                .count();
        if (over > 0) {
            throw StageException.input(Problem.of(
                            "workload error",
                            "workload",
                            over + " of " + trace.size() + " requests exceed the context of " + model.name() + ", "
                                    + limit + " tokens; the longest request has " + longest
                                    + " tokens, prompt and output")
                    .hint("limit requests with workload.max_tokens=" + limit + ", or set model.max_position=" + longest
                            + " if the model is served with a longer context"));
        }
    }

    /** Cache key of a workload that is read from a run. */
    private record WorkloadKey(String sha256) {}

    /** Returns the requests of a query, in memory if the stage of the role has such a product. */
    public static ServingInput of(OracleContext context, String role) throws IOException {
        Optional<Object> made = context.product(role);
        if (made.isPresent() && made.get() instanceof RequestTable table) {
            return of(table);
        }
        RunInput run = context.input(role);
        return context.shared(new WorkloadKey(run.sha256()), () -> orMean(run.dir(), context::warn));
    }

    /**
     * Reads the requests of a run. If it is a measurement without a list of requests, returns requests with its mean lengths
     * and its requested rate.
     */
    public static ServingInput orMean(Path run, Consumer<String> warn) throws IOException {
        Optional<MeanRequests> mean = MeasuredLoad.hasRequests(run) ? Optional.empty() : MeasuredLoad.mean(run);
        if (mean.isEmpty()) {
            return read(run);
        }
        warn.accept("the measurement has no list of requests: simulated are " + mean.get());
        return of(mean.get());
    }

    private static ServingInput of(MeanRequests mean) {
        int[] prompts = new int[mean.count()];
        int[] outputs = new int[mean.count()];
        long[] arrivals = new long[mean.count()];
        Arrays.fill(prompts, mean.prompt());
        Arrays.fill(outputs, mean.output());
        // the mean rate of the arrivals is exactly the requested rate
        Variates random = new Variates(RandomStream.of(0, "arrivals"));
        mean.rate().ifPresent(rate -> {
            double[] times = new double[arrivals.length];
            for (int i = 1; i < times.length; i++) {
                times[i] = times[i - 1] + random.exponential();
            }
            double scale = times[times.length - 1] > 0 ? (times.length - 1) / times[times.length - 1] : 1;
            Arrays.setAll(arrivals, i -> Math.round(NS_PER_S * times[i] * scale / rate));
        });
        ServingInput input =
                of(IntStream.range(0, mean.count()).toArray(), arrivals, prompts, outputs, noTokens(mean.count()));
        input.trace.closed(mean.clients().map(clients -> new ClosedLoop(clients, 0, 0)));
        return input;
    }

    private static SharedTokens noTokens(int size) {
        SharedTokens nothing = new SharedTokens();
        for (int i = 0; i < size; i++) {
            nothing.next();
        }
        return nothing;
    }

    /** Reads lengths and arrival times of a run; both tables list the same requests in the same order. */
    public static ServingInput read(Path run) throws IOException {
        Growing ids = new Growing();
        Growing prefill = new Growing();
        Growing decode = new Growing();
        if (!MeasuredLoad.hasRequests(run)) {
            Problem problem = Problem.of(
                            "not comparable",
                            String.valueOf(run.getFileName()),
                            "has no requests to simulate: its source has aggregates only, without "
                                    + String.join(", ", MeasuredLoad.missing(run)))
                    .hint("set workload.dir to a run with the measured requests, or sim.dir to a simulation of them");
            throw StageException.input(problem);
        }
        try (TableReader reader = TableReader.open(run.resolve(Tables.TRACE_LENGTHS.name()), Tables.TRACE_LENGTHS)) {
            int id = reader.column("request_id");
            int prompt = reader.column("num_prefill_tokens");
            int output = reader.column("num_decode_tokens");
            while (reader.next()) {
                ids.add(reader.longAt(id));
                prefill.add(reader.longAt(prompt));
                decode.add(reader.longAt(output));
            }
        }
        long[] arrival = arrivals(run, ids);
        int[] numbers = ids.ints(run, "request_id");
        int[] prompts = prefill.ints(run, "num_prefill_tokens");
        ServingInput input = of(
                numbers,
                arrival,
                prompts,
                decode.ints(run, "num_decode_tokens"),
                tokens(run.resolve(Tables.TRACE_TOKENS.name()), numbers, prompts));
        label(run.resolve(Tables.TRACE_LABELS.name()), input);
        input.trace.closed(ClosedLoopDocument.read(run));
        return input;
    }

    /** Reads adapters and priorities, if the table exists. */
    private static void label(Path file, ServingInput input) throws IOException {
        if (!TableFile.exists(file)) {
            return;
        }
        int[] adapters = new int[input.ids.length];
        int[] priorities = new int[input.ids.length];
        int at = 0;
        try (TableReader reader = TableReader.open(file, Tables.TRACE_LABELS)) {
            int id = reader.column("request_id");
            int adapter = reader.column("adapter");
            int priority = reader.column("priority");
            while (reader.next()) {
                if (at == adapters.length || input.ids[at] != reader.longAt(id)) {
                    throw mismatch(
                            reader.where(),
                            "request " + reader.longAt(id) + " differs from this row of "
                                    + Tables.TRACE_LENGTHS.name());
                }
                adapters[at] = Math.toIntExact(reader.longAt(adapter));
                priorities[at++] = Math.toIntExact(reader.longAt(priority));
            }
        }
        if (at < adapters.length) {
            throw mismatch(file.toString(), at + " requests, but the workload has " + adapters.length);
        }
        input.trace.labelled(request -> adapters[request], request -> priorities[request]);
    }

    /** Reads shared tokens, if the table exists. */
    private static SharedTokens tokens(Path file, int[] ids, int[] prompts) throws IOException {
        SharedTokens tokens = new SharedTokens();
        int at = 0;
        if (TableFile.exists(file)) {
            try (TableReader reader = TableReader.open(file, Tables.TRACE_TOKENS)) {
                int id = reader.column("request_id");
                int first = reader.column("first_token");
                int count = reader.column("num_tokens");
                long left = prompts.length == 0 ? 0 : prompts[0];
                while (reader.next()) {
                    while (at < ids.length && ids[at] < reader.longAt(id)) {
                        tokens.next();
                        left = ++at < ids.length ? prompts[at] : 0;
                    }
                    left -= reader.longAt(count);
                    if (at == ids.length || ids[at] != reader.longAt(id) || left < 0) {
                        throw mismatch(
                                reader.where(),
                                "request " + reader.longAt(id) + " has more tokens here than in "
                                        + Tables.TRACE_LENGTHS.name() + ", or the rows are out of order");
                    }
                    tokens.run(reader.longAt(first), (int) reader.longAt(count));
                }
            }
        }
        for (; at < ids.length; at++) {
            tokens.next();
        }
        return tokens;
    }

    /** Returns the requests of a table in memory. */
    public static ServingInput of(RequestTable table) {
        int size = table.size();
        int[] ids = new int[size];
        int[] prefill = new int[size];
        int[] decode = new int[size];
        long[] arrival = new long[size];
        for (int i = 0; i < size; i++) {
            ids[i] = i;
            prefill[i] = table.prefill(i);
            decode[i] = table.decode(i);
            arrival[i] = table.arrivalNs(i);
        }
        ServingInput input = of(ids, arrival, prefill, decode, noTokens(size));
        input.trace.closed(table.closedLoop());
        return input;
    }

    private static ServingInput of(int[] ids, long[] arrival, int[] prefill, int[] decode, SharedTokens shared) {
        double[] seconds = new double[arrival.length];
        Arrays.setAll(seconds, i -> arrival[i] / NS_PER_S);
        RequestTrace trace = new RequestTrace(
                seconds, prefill, decode, request -> tokens(ids[request], request, prefill[request], shared));
        int longest = 0;
        for (int i = 0; i < trace.size(); i++) {
            longest = Math.max(longest, Math.addExact(trace.prefillTokens(i), trace.decodeTokens(i)));
        }
        return new ServingInput(ids, arrival, shared.isEmpty() ? trace.withUniqueTokens() : trace, longest);
    }

    private static Tokens tokens(int id, int request, int prompt, SharedTokens shared) {
        Tokens.Builder tokens = new Tokens.Builder();
        for (int run = shared.begin(request); run < shared.end(request); run++) {
            tokens.run(shared.first(run), shared.count(run));
        }
        return tokens.run(SharedTokens.promptOf(id), prompt - tokens.length()).then(SharedTokens.outputOf(id));
    }

    private static long[] arrivals(Path run, Growing ids) throws IOException {
        Growing times = new Growing();
        try (TableReader reader =
                TableReader.open(run.resolve(Tables.TRACE_INTERVALS.name()), Tables.TRACE_INTERVALS)) {
            int id = reader.column("request_id");
            int time = reader.column("arrival_time_ns");
            while (reader.next()) {
                int at = times.size();
                if (at >= ids.size() || reader.longAt(id) != ids.get(at)) {
                    throw mismatch(
                            reader.where(),
                            "request " + reader.longAt(id) + " differs from this row of "
                                    + Tables.TRACE_LENGTHS.name());
                }
                times.add(reader.longAt(time));
            }
        }
        if (times.size() != ids.size()) {
            throw mismatch(
                    run.resolve(Tables.TRACE_INTERVALS.name()).toString(),
                    times.size() + " requests, but " + Tables.TRACE_LENGTHS.name() + " has " + ids.size());
        }
        return times.longs();
    }

    private static StageException mismatch(String where, String what) {
        return StageException.input(Problem.artifact(where, what)
                .hint("the tables of a workload must list the same requests in the same order; generate the workload "
                        + "again"));
    }

    /** A growable array of longs. */
    private static final class Growing {
        private long[] values = new long[1024];
        private int size;

        void add(long value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, size * 2);
            }
            values[size++] = value;
        }

        int size() {
            return size;
        }

        long get(int index) {
            return values[index];
        }

        long[] longs() {
            return Arrays.copyOf(values, size);
        }

        int[] ints(Path run, String column) {
            int[] ints = new int[size];
            for (int i = 0; i < size; i++) {
                ints[i] = (int) values[i];
                if (ints[i] != values[i]) {
                    throw StageException.input(Problem.artifact(
                            run.resolve(Tables.TRACE_LENGTHS.name()) + ", column " + column,
                            values[i] + " exceeds the maximum of 2^31 - 1"));
                }
            }
            return ints;
        }
    }
}
