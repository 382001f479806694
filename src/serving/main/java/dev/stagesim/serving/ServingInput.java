package dev.stagesim.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.MeasuredLoad.MeanRequests;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.Variates;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.WorkloadSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The requests of a serving workload. */
public final class ServingInput {
    /** Types of runs with requests: generated, measured, or served by a simulated server. */
    public static final List<String> SOURCES = List.of("workload", "real_bench", "serve_mock");

    private static final int[] ASCENDING_IDS = {};
    /** The rate of the arrival presets, in requests per second. */
    private static final double DEFAULT_QPS = 1;

    /** Maximum relative difference of a drawn rate without a remark. */
    private static final double RATE_TOLERANCE = 0.05;

    /** Standard deviations of the mean inter-arrival time that a suggested number of requests keeps within the tolerance. */
    private static final double DEVIATIONS = 3;

    private static final double ROUNDED = 100;
    private static final int DIGITS = 3;

    private static final double MEDIAN = 0.5;
    private static final long[] EXACT_SECONDS = {};

    /** Arrival times from which seconds restore nanoseconds only approximately: 26 days. */
    private static final long MAX_EXACT_NS = 1L << 51;

    /** The numbers of the requests in the workload, or {@link #ASCENDING_IDS} if they are 0, 1, 2, ... */
    private final int[] ids;
    /** The arrival times, or {@link #EXACT_SECONDS} if the seconds of the trace restore them. */
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
        return number(ids, request);
    }

    private static int number(int[] ids, int request) {
        return ids.length == 0 ? request : ids[request];
    }

    /** Returns the arrival time of a request in ns. */
    public long arrivalNs(int request) {
        return arrivalNs.length == 0 ? Math.round(trace.arrivalSeconds(request) * NS_PER_S) : arrivalNs[request];
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

    /** Returns true if the requests of a run are drawn with these settings, and not those of a measurement. */
    public static boolean isDrawn(WorkloadSettings settings, RunInput run) {
        return run.runType().equals(SOURCES.get(0)) && settings instanceof ServingWorkload serving && serving.isDrawn();
    }

    /**
     * Returns the median lengths if they are drawn from the log-normal distributions of a preset, with the keys that
     * replace them; empty if the user states lengths or a file.
     *
     * @param isSet whether the user sets a key
     */
    public Optional<String> presetLengths(WorkloadSettings settings, boolean isDrawn, Predicate<String> isSet) {
        boolean isPreset = isDrawn
                && !isSet.test("workload.lengths")
                && settings instanceof ServingWorkload serving
                && serving.lengths() instanceof LengthSettings.LogNormal;
        return isPreset && trace.size() > 0
                ? Optional.of("requests: log-normal lengths of the workload preset, prompts P50 "
                        + median(trace::prefillTokens) + ", outputs P50 " + median(trace::decodeTokens)
                        + " tokens; set prompt_tokens= and output_tokens= for others")
                : Optional.empty();
    }

    /**
     * Returns the remarks about a load that the user does not state: {@link #presetLengths}, the default rate, and a drawn
     * rate that differs from the requested one.
     */
    public List<String> loadNotes(
            WorkloadSettings settings, ArrivalSettings arrival, boolean isDrawn, Predicate<String> isSet) {
        Optional<ArrivalSettings.Rate> rate = arrival.rate().filter(random -> isDrawn);
        boolean isDefault =
                rate.filter(random -> random.qps() == DEFAULT_QPS).isPresent() && !isSet.test("arrival.qps");
        List<String> notes = new ArrayList<>();
        String lengths = presetLengths(settings, isDrawn, isSet).orElse("");
        String text = lengths
                + (isDefault && !lengths.isEmpty() ? "; " : "")
                + (isDefault ? "arrivals: 1 request/s, the default; set rate= or concurrency= for another load" : "");
        if (!text.isEmpty()) {
            notes.add(text);
        }
        boolean hasSessions =
                settings instanceof ServingWorkload serving && serving.sharing().hasSessions();
        rate.flatMap(random -> drawnRate(random, hasSessions)).ifPresent(notes::add);
        return notes;
    }

    /** Returns a remark if the rate of the drawn arrivals differs from the requested one; empty otherwise. */
    private Optional<String> drawnRate(ArrivalSettings.Rate rate, boolean hasSessions) {
        int last = trace.size() - 1;
        double seconds = last < 1 ? 0 : trace.arrivalSeconds(last) - trace.arrivalSeconds(0);
        double drawn = last / seconds;
        if ((!hasSessions && rate.isExact()) || !(seconds > 0) || Math.abs(drawn / rate.qps() - 1) <= RATE_TOLERANCE) {
            return Optional.empty();
        }
        String text = "arrivals: the " + Numbers.count(trace.size()) + " drawn arrivals have a mean rate of "
                + Numbers.significant(drawn, DIGITS) + " instead of " + Numbers.plain(rate.qps()) + " requests/s";
        if (hasSessions) {
            return Optional.of(text
                    + (drawn < rate.qps()
                            ? ", because fewer sessions overlap at the start and at the end of a run"
                            : "")
                    + "; more requests= reduce the difference");
        }
        double count = Math.pow(DEVIATIONS * rate.cv() / RATE_TOLERANCE, 2);
        return Optional.of(text + "; set arrival.exact_rate=true for the exact rate"
                + (count > trace.size()
                        ? ", or requests=" + Math.round(Math.ceil(count / ROUNDED) * ROUNDED) + " for at most "
                                + Math.round(100 * RATE_TOLERANCE) + " % of difference"
                        : ""));
    }

    private String median(IntUnaryOperator tokens) {
        double[] sorted = Quantiles.sortedLengths(trace.size(), tokens);
        return Numbers.count(Math.round(Quantiles.ofSorted(sorted, MEDIAN)));
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

    /** Returns {@link #loadNotes} of a query with generated requests; none for the requests of a given run. */
    public static List<String> loadNotes(
            OracleContext context, String role, WorkloadSettings settings, ArrivalSettings arrival) throws IOException {
        boolean isDrawn = settings instanceof ServingWorkload serving && serving.isDrawn();
        return context.product(role).orElse("") instanceof RequestTable table
                ? of(table).loadNotes(settings, arrival, isDrawn, context::isSet)
                : List.of();
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
        warn.accept("the measurement has no list of requests: simulated are " + mean.get()
                + (mean.get().isLoop() ? mean.get().lengths() : ""));
        return of(mean.get());
    }

    private static ServingInput of(MeanRequests mean) {
        int[] prompts = new int[mean.count()];
        int[] outputs = new int[mean.count()];
        long[] arrivals = new long[mean.count()];
        Arrays.fill(prompts, mean.prompt());
        Arrays.fill(outputs, mean.output());
        if (mean.isLoop() && mean.isVaried()) {
            spread(outputs, mean.output());
        }
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
        ServingInput input = of(ASCENDING_IDS, arrivals, prompts, outputs, new SharedTokens());
        input.trace.closed(mean.clients().map(clients -> new ClosedLoop(clients, 0, 0)));
        return input;
    }

    /** Draws lengths from evenly spaced values of 0.5 to 1.5 times the mean, in random order. */
    private static void spread(int[] lengths, int mean) {
        RandomStream random = RandomStream.of(0, "outputs");
        for (int i = 0; i < lengths.length; i++) {
            int other = (int) random.below(i + 1L);
            lengths[i] = lengths[other];
            lengths[other] = (int) Math.max(1, Math.round(mean * (0.5 + (i + 0.5) / lengths.length)));
        }
    }

    /**
     * Reads lengths and arrival times of a run; both tables list the same requests in the same order. In a measured closed
     * loop the times of sending are results, so its requests enter in their order as soon as the limit allows.
     */
    public static ServingInput read(Path run) throws IOException {
        IntList ids = new IntList();
        IntList prefill = new IntList();
        IntList decode = new IntList();
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
                ids.add(intAt(reader, id, "request_id"));
                prefill.add(intAt(reader, prompt, "num_prefill_tokens"));
                decode.add(intAt(reader, output, "num_decode_tokens"));
            }
        }
        Optional<ClosedLoop> measured = MeasuredLoad.closedLoop(run).map(clients -> new ClosedLoop(clients, 0, 0));
        long[] arrival = arrivals(run, ids);
        if (measured.isPresent()) {
            Arrays.fill(arrival, 0);
        }
        int[] numbers = isAscending(ids) ? ASCENDING_IDS : ids.toArray();
        int[] prompts = prefill.toArray();
        ServingInput input = of(
                numbers,
                arrival,
                prompts,
                decode.toArray(),
                tokens(run.resolve(Tables.TRACE_TOKENS.name()), numbers, prompts));
        label(run.resolve(Tables.TRACE_LABELS.name()), input);
        input.trace.closed(ClosedLoopDocument.read(run).or(() -> measured));
        return input;
    }

    private static int intAt(TableReader reader, int column, String name) {
        long value = reader.longAt(column);
        if ((int) value != value) {
            throw StageException.input(
                    Problem.artifact(reader.where() + ", column " + name, value + " exceeds the maximum of 2^31 - 1"));
        }
        return (int) value;
    }

    private static boolean isAscending(IntList ids) {
        for (int i = 0; i < ids.size(); i++) {
            if (ids.get(i) != i) {
                return false;
            }
        }
        return true;
    }

    /** Reads adapters and priorities, if the table exists. */
    private static void label(Path file, ServingInput input) throws IOException {
        if (!TableFile.exists(file)) {
            return;
        }
        int[] adapters = new int[input.trace.size()];
        int[] priorities = new int[input.trace.size()];
        int at = 0;
        try (TableReader reader = TableReader.open(file, Tables.TRACE_LABELS)) {
            int id = reader.column("request_id");
            int adapter = reader.column("adapter");
            int priority = reader.column("priority");
            while (reader.next()) {
                if (at == adapters.length || input.id(at) != reader.longAt(id)) {
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
        int size = prompts.length;
        if (TableFile.exists(file)) {
            try (TableReader reader = TableReader.open(file, Tables.TRACE_TOKENS)) {
                int id = reader.column("request_id");
                int first = reader.column("first_token");
                int count = reader.column("num_tokens");
                long left = size == 0 ? 0 : prompts[0];
                while (reader.next()) {
                    while (at < size && number(ids, at) < reader.longAt(id)) {
                        tokens.next();
                        left = ++at < size ? prompts[at] : 0;
                    }
                    left -= reader.longAt(count);
                    if (at == size || number(ids, at) != reader.longAt(id) || left < 0) {
                        throw mismatch(
                                reader.where(),
                                "request " + reader.longAt(id) + " has more tokens here than in "
                                        + Tables.TRACE_LENGTHS.name() + ", or the rows are out of order");
                    }
                    tokens.run(reader.longAt(first), (int) reader.longAt(count));
                }
            }
        }
        for (; at < size && !tokens.isEmpty(); at++) {
            tokens.next();
        }
        return tokens;
    }

    /** Returns the requests of a table in memory. */
    public static ServingInput of(RequestTable table) {
        int size = table.size();
        int[] prefill = new int[size];
        int[] decode = new int[size];
        long[] arrival = new long[size];
        for (int i = 0; i < size; i++) {
            prefill[i] = table.prefill(i);
            decode[i] = table.decode(i);
            arrival[i] = table.arrivalNs(i);
        }
        ServingInput input = of(ASCENDING_IDS, arrival, prefill, decode, new SharedTokens());
        input.trace.closed(table.closedLoop());
        return input;
    }

    private static ServingInput of(int[] ids, long[] arrival, int[] prefill, int[] decode, SharedTokens shared) {
        double[] seconds = new double[arrival.length];
        boolean isExact = true;
        for (int i = 0; i < seconds.length; i++) {
            seconds[i] = arrival[i] / NS_PER_S;
            isExact &= Math.abs(arrival[i]) < MAX_EXACT_NS;
        }
        RequestTrace trace = new RequestTrace(
                seconds, prefill, decode, request -> tokens(number(ids, request), request, prefill[request], shared));
        int longest = 0;
        for (int i = 0; i < trace.size(); i++) {
            longest = Math.max(longest, Math.addExact(trace.prefillTokens(i), trace.decodeTokens(i)));
        }
        long[] nanos = isExact ? EXACT_SECONDS : arrival;
        return new ServingInput(ids, nanos, shared.isEmpty() ? trace.withUniqueTokens() : trace, longest);
    }

    private static Tokens tokens(int id, int request, int prompt, SharedTokens shared) {
        Tokens.Builder tokens = new Tokens.Builder();
        if (!shared.isEmpty()) {
            for (int run = shared.begin(request); run < shared.end(request); run++) {
                tokens.run(shared.first(run), shared.count(run));
            }
        }
        return tokens.run(SharedTokens.promptOf(id), prompt - tokens.length()).then(SharedTokens.outputOf(id));
    }

    private static long[] arrivals(Path run, IntList ids) throws IOException {
        long[] times = new long[ids.size()];
        int at = 0;
        try (TableReader reader =
                TableReader.open(run.resolve(Tables.TRACE_INTERVALS.name()), Tables.TRACE_INTERVALS)) {
            int id = reader.column("request_id");
            int time = reader.column("arrival_time_ns");
            while (reader.next()) {
                if (at >= ids.size() || reader.longAt(id) != ids.get(at)) {
                    throw mismatch(
                            reader.where(),
                            "request " + reader.longAt(id) + " differs from this row of "
                                    + Tables.TRACE_LENGTHS.name());
                }
                times[at++] = reader.longAt(time);
            }
        }
        if (at != ids.size()) {
            throw mismatch(
                    run.resolve(Tables.TRACE_INTERVALS.name()).toString(),
                    at + " requests, but " + Tables.TRACE_LENGTHS.name() + " has " + ids.size());
        }
        return times;
    }

    private static StageException mismatch(String where, String what) {
        return StageException.input(Problem.artifact(where, what)
                .hint("the tables of a workload must list the same requests in the same order; generate the workload "
                        + "again"));
    }
}
