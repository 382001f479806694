package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.Gaps;
import dev.stagesim.sim.workload.InterArrivalSource;
import dev.stagesim.sim.workload.Labels;
import dev.stagesim.sim.workload.LengthSource;
import dev.stagesim.sim.workload.Lengths;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.sim.workload.RequestGenerator;
import dev.stagesim.sim.workload.RequestGenerator.End;
import dev.stagesim.sim.workload.RequestGenerator.Generated;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.sim.workload.Sharing;
import dev.stagesim.sim.workload.Sharing.Shared;
import dev.stagesim.sim.workload.StopRule;
import dev.stagesim.sim.workload.Truncation;
import dev.stagesim.sim.workload.VidurLengths;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Generates a serving workload from checked settings: loads files, creates the sources, and draws requests. */
final class ServingBuilder {
    private static final int MAX_PROBLEMS = 10;

    /** Default maximum length of a conversation, in tokens. */
    private static final int MAX_SESSION_TOKENS = 1 << 30;

    private final ServingWorkload workload;
    private final ArrivalSettings arrival;
    private final CompatMode compat;
    private final Path home;
    private final boolean vidur;
    private final TraceSource files;
    private final List<String> notes = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    private ServingBuilder(ServingWorkload workload, ArrivalSettings arrival, CompatMode compat, Path home) {
        this.workload = workload;
        this.arrival = arrival;
        this.compat = compat;
        this.home = home;
        this.vidur = compat == CompatMode.VIDUR;
        this.files = new TraceSource(workload, arrival, compat, home);
    }

    static GeneratedRequests build(ServingWorkload workload, ArrivalSettings arrival, CompatMode compat, Path home)
            throws IOException {
        return new ServingBuilder(workload, arrival, compat, home).build();
    }

    private record Drawn(Optional<TraceRows> rows, Truncation truncation, Shared shared) {}

    private Drawn draw() throws IOException {
        Optional<TraceRows> rows = workload.source().file().isPresent()
                ? Optional.of(files.mainRows(workload.source().file().get()))
                : Optional.empty();
        Optional<TraceRows> times = times(rows);
        rows.ifPresent(this::remark);
        if (times.isPresent()) {
            order(times.get());
        }
        RequestSources sources = vidur ? new VidurSources(workload, arrival) : new DefaultSources(workload, arrival);
        LengthSource lengths = sources.lengths(rows);
        InterArrivalSource gaps = sources.gaps(times);
        StopRule rule = new StopRule(
                workload.numRequests().orElse(Integer.MAX_VALUE),
                workload.duration().orElse(Double.POSITIVE_INFINITY));
        Generated made = vidur
                ? RequestGenerator.generateVidur(gaps, lengths, rule)
                : RequestGenerator.generate(gaps, lengths, rule);
        checkEnd(made);
        arrival.rate().filter(ArrivalSettings.Rate::isExact).ifPresent(rate -> made.requests()
                .stretch(made.requests().size() / rate.qps()));
        checkLengths(made.requests());
        remarks.addAll(sources.remarks());
        Shared shared = shared(made.requests(), rows);
        return new Drawn(rows, sources.truncation(made.requests()).plus(shared.truncation()), shared);
    }

    /** Returns the requests of this workload with another number of requests; these requests if they are not drawn. */
    private RequestTable redrawn(RequestTable requests, int count) throws IOException {
        if (!workload.isDrawn()) {
            return requests;
        }
        ServingWorkload other =
                KeyRecord.with(ServingWorkload.class, workload, Map.of("numRequests", Optional.of(count)));
        return new ServingBuilder(other, arrival, compat, home).draw().shared().requests();
    }

    private GeneratedRequests build() throws IOException {
        Drawn drawn = draw();
        Shared shared = drawn.shared();
        Optional<SessionRate> rate = SessionRate.of(workload, arrival);
        if (rate.isPresent()) {
            rate.get()
                    .warning(shared.requests(), count -> redrawn(shared.requests(), count))
                    .ifPresent(remarks::add);
        }
        close(shared.requests());
        return new GeneratedRequests(
                shared.requests(),
                Optional.of(shared.tokens()).filter(tokens -> !tokens.isEmpty()),
                labels(shared),
                drawn.rows().filter(TraceRows::hasText),
                document(shared.requests(), drawn.truncation()),
                notes,
                remarks);
    }

    private void remark(TraceRows rows) {
        rows.layout().ifPresent(notes::add);
        remarks.addAll(rows.remarks());
    }

    private void close(RequestTable requests) {
        if (arrival instanceof ArrivalSettings.Closed closed) {
            if (closed.warmupRequests() >= requests.size()) {
                throw refuse(
                        "arrival.warmup_requests",
                        "the workload has only " + requests.size() + " requests",
                        "lower it");
            }
            requests.close(new ClosedLoop(
                    closed.concurrency(),
                    closed.rampUpS(),
                    closed.warmupRequests(),
                    workload.sharing().hasSessions()));
        }
    }

    private WorkloadDocument document(RequestTable requests, Truncation truncation) {
        return new WorkloadDocument(
                requests.size(),
                longest(requests),
                Sentences.lengths(workload),
                Sentences.arrivals(arrival, workload.sharing()),
                workload.drawSeed(),
                workload.maxTokens(),
                workload.maxTokens().map(limit -> KeyNames.constant(overlong())),
                truncation.requests(),
                truncation.promptTokens(),
                truncation.outputTokens(),
                truncation.dropped());
    }

    private static long longest(RequestTable requests) {
        long longest = 0;
        for (int i = 0; i < requests.size(); i++) {
            longest = Math.max(longest, (long) requests.prefill(i) + requests.decode(i));
        }
        return longest;
    }

    private Overlong overlong() {
        Overlong vidurs = ServingChecks.paired(workload, arrival) ? Overlong.TRIM_PROMPT : Overlong.PROPORTIONAL;
        return vidur ? vidurs : DefaultSources.overlong(workload);
    }

    private Optional<Labels> labels(Shared shared) {
        LabelSettings labels = workload.labels();
        return !labels.isAny()
                ? Optional.empty()
                : Optional.of(Labels.draw(
                        shared.tokens(),
                        shared.requests().size(),
                        labels.adapters(),
                        labels.theta(),
                        labels.baseShare(),
                        labels.priorities().stream()
                                .mapToDouble(Double::doubleValue)
                                .toArray(),
                        RandomStream.of(workload.drawSeed(), "labels")));
    }

    private Shared shared(RequestTable requests, Optional<TraceRows> rows) {
        RandomStream random = RandomStream.of(workload.drawSeed(), "sharing");
        if (workload.sharing() instanceof SharingSettings.Prefixes prefixes && prefixes.tokens() > 0) {
            int[] lengths = Sharing.prefixLengths(prefixes.groups(), prefixes.tokens(), prefixes.spread(), random);
            Sentences.shortPrompts(requests, prefixes.tokens()).ifPresent(remarks::add);
            return Sharing.prefixes(requests, lengths, prefixes.theta(), random);
        }
        if (workload.sharing() instanceof SharingSettings.Sessions sessions) {
            return sessions(
                    requests,
                    Sharing.Style.conversation(sessions.turns(), sessions.thinkTimeS(), sessions.sharedPrefixTokens()),
                    random);
        }
        if (workload.sharing() instanceof SharingSettings.Agents agents) {
            return sessions(
                    requests,
                    new Sharing.Style(
                            agents.calls(),
                            true,
                            agents.toolTimeS(),
                            arrival instanceof ArrivalSettings.Closed ? 0 : agents.tokenTimeS(),
                            agents.toolResultTokens(),
                            agents.reasoningShare(),
                            agents.sharedPrefixTokens()),
                    random);
        }
        SharedTokens tokens = new SharedTokens();
        for (int i = 0; i < requests.size(); i++) {
            if (rows.isPresent()) {
                rows.get().shareBlocks(requests.row(i), requests.prefill(i), tokens);
            }
            tokens.next();
        }
        return new Shared(requests, tokens);
    }

    private Shared sessions(RequestTable requests, Sharing.Style style, RandomStream random) {
        int limit = workload.maxTokens().orElse(MAX_SESSION_TOKENS);
        if (style.common() > 0) {
            checkCommon(requests, style.common(), limit);
        }
        Shared shared = inTime(Sharing.sessions(requests, style, limit, random));
        if (style.common() > 0
                && overlong() == Overlong.ERROR
                && !shared.truncation().isNone()) {
            throw refuse(
                    "workload.sharing.shared_prefix_tokens",
                    "its " + style.common() + " tokens and the stated lengths exceed workload.max_tokens, " + limit,
                    "raise workload.max_tokens, or set workload.overlong=trim_prompt to truncate prompts");
        }
        return shared;
    }

    private Shared inTime(Shared shared) {
        RequestTable requests = shared.requests();
        if (requests.size() > 0 && requests.arrivalNs(requests.size() - 1) == Sharing.NEVER) {
            throw refuse(
                    "workload.sharing",
                    "a turn of a conversation would arrive after more than 290 years",
                    "lower the times between turns");
        }
        if (shared.cutSessions() > 0) {
            boolean isOne = shared.cutSessions() == 1;
            remarks.add(shared.cutSessions()
                    + (isOne ? " session ends before its" : " sessions end before their")
                    + " last turn, because it would exceed"
                    + " workload.max_tokens=" + workload.maxTokens().orElse(MAX_SESSION_TOKENS)
                    + "; raise it (max_model_len) up to the context of the model, or use fewer turns");
        }
        return shared;
    }

    private static void checkCommon(RequestTable requests, int common, int limit) {
        for (int i = 0; i < requests.size(); i++) {
            if ((long) common + requests.decode(i) >= limit) {
                throw refuse(
                        "workload.sharing.shared_prefix_tokens",
                        "request " + i + " has " + requests.decode(i) + " output tokens, so that " + common
                                + " tokens leave no room for a prompt under workload.max_tokens, " + limit,
                        "lower it, or raise workload.max_tokens");
            }
        }
    }

    private Optional<TraceRows> times(Optional<TraceRows> rows) throws IOException {
        if (!(arrival instanceof ArrivalSettings.Trace trace)) {
            return Optional.empty();
        }
        if (trace.file().isEmpty()) {
            return rows;
        }
        TraceRows times = files.arrivalRows(trace, trace.file().get());
        remark(times);
        return Optional.of(times);
    }

    private void order(TraceRows times) {
        if (times.isSorted()) {
            return;
        }
        times.sortByTime();
        remarks.add("the rows of the trace were not in time order; they are sorted by a stable sort");
    }

    private void checkEnd(Generated made) {
        int size = made.requests().size();
        if (made.end() == End.CLOCK) {
            throw refuse("arrival", "request " + size + " would arrive after more than 290 years", "raise the rate");
        }
        String lacking = made.end() == End.GAPS ? "arrival times" : "lengths";
        if (made.end() != End.RULE
                && workload.numRequests().filter(n -> n > size).isPresent()) {
            throw refuse(
                    "workload.num_requests",
                    "is " + workload.numRequests().get() + ", but the file has " + lacking + " for " + size,
                    enough(made.end()));
        }
        if (made.end() == End.LENGTHS && workload.duration().isPresent()) {
            remarks.add("lengths ran out after " + Count.of(size, "request") + ", before the end of the duration");
        }
        if (size == 0) {
            throw refuse("workload", "no request arrives", "raise workload.duration or the rate");
        }
    }

    /** Returns a hint for more requests than rows of the file. */
    private String enough(End end) {
        boolean timesEnd = arrival instanceof ArrivalSettings.Trace;
        if (vidur || (end == End.GAPS && !timesEnd)) {
            return "lower it";
        }
        boolean repeats = (workload.lengths() instanceof LengthSettings.Trace trace && trace.repeat())
                || (workload.lengths() instanceof LengthSettings.Prompts prompts && prompts.repeat())
                || !ServingChecks.lengthsFromFile(workload)
                || workload.lengths() instanceof LengthSettings.Empirical;
        String lengths = repeats ? "" : "workload.lengths.repeat = true";
        String times = timesEnd ? "an unlimited arrival process, for example arrival=poisson" : "";
        return "lower it, or set " + lengths + (lengths.isEmpty() || times.isEmpty() ? "" : " and ") + times;
    }

    private void checkLengths(RequestTable requests) {
        int limit = overlong() == Overlong.ERROR ? workload.maxTokens().orElse(Integer.MAX_VALUE) : Integer.MAX_VALUE;
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < requests.size() && problems.size() < MAX_PROBLEMS; i++) {
            int prefill = requests.prefill(i);
            int decode = requests.decode(i);
            if ((long) prefill + decode > limit) {
                problems.add(Problem.config(
                                "workload.max_tokens",
                                "request " + i + " has " + prefill + " prompt and " + decode
                                        + " output tokens, over the cap of " + limit)
                        .hint(ServingChecks.allowing(prefill + decode)));
            } else if (prefill < 1 || decode < 1) {
                problems.add(Problem.config(
                        "workload.lengths",
                        "request " + i + " has " + prefill + " prompt and " + decode
                                + " output tokens, expected at least 1 each"));
            }
        }
        StageException.refuse(problems);
    }

    static StageException refuse(String key, String what, String hint) {
        return StageException.input(Problem.config(key, what).hint(hint));
    }

    /** Returns the output length of a prompt, which the file must have unless it is set. */
    static void requireOutputs(LengthSettings.Prompts prompts, TraceRows rows) {
        if (prompts.decodeTokens().isPresent()) {
            Arrays.fill(rows.decode(), prompts.decodeTokens().get());
            return;
        }
        for (int i = 0; i < rows.size(); i++) {
            if (rows.decode()[i] < 1) {
                throw refuse(
                        "workload.lengths.decode_tokens",
                        "prompt " + (i + 1) + " of the file has no output_tokens",
                        "set workload.lengths.decode_tokens for all prompts");
            }
        }
    }

    /** Descriptions of settings. */
    private static final class Sentences {
        /** Share of prompts without further tokens above which a remark is made. */
        private static final double MANY_SHORT = 0.1;

        private Sentences() {}

        static String lengths(ServingWorkload workload) {
            LengthSettings lengths = workload.lengths();
            if (lengths instanceof LengthSettings.Distributions drawn) {
                return "prompt " + drawn.prefillTokens() + ", output " + drawn.decodeTokens();
            }
            if (lengths instanceof LengthSettings.Fixed fixed) {
                boolean isPrompt = fixed.prefillTokens()
                        == KeyRecord.defaults(LengthSettings.Fixed.class).prefillTokens();
                boolean isOutput = fixed.decodeTokens()
                        == KeyRecord.defaults(LengthSettings.Fixed.class).decodeTokens();
                return isPrompt == isOutput
                        ? "fixed"
                        : "fixed; " + (isPrompt ? "prompt" : "output") + " tokens equal the default";
            }
            String kind = KeyRecord.kind(lengths.getClass());
            return workload.source()
                    .file()
                    .filter(file -> ServingChecks.lengthsFromFile(workload))
                    .map(file -> kind + " of " + file.getFileName())
                    .orElse(kind.replace('_', '-'));
        }

        static String arrivals(ArrivalSettings arrival, SharingSettings sharing) {
            return process(arrival, sharing) + turns(sharing, arrival instanceof ArrivalSettings.Closed);
        }

        /** Returns the times of further turns or calls as text; empty without sessions. */
        private static String turns(SharingSettings sharing, boolean isClosed) {
            if (sharing instanceof SharingSettings.Sessions sessions) {
                return format(
                        ", each further turn %s s on average after the previous "
                                + (isClosed ? "answer" : "turn without waiting for its answer")
                                + " (workload.sharing.think_time_s)",
                        sessions.thinkTimeS());
            }
            if (isClosed && sharing instanceof SharingSettings.Agents agents) {
                return format(
                        ", each further call %s s on average after the previous answer (workload.sharing.tool_time_s)",
                        agents.toolTimeS());
            }
            return sharing instanceof SharingSettings.Agents agents
                    ? format(
                            ", each further call after %s s per output token (workload.sharing.token_time_s) and %s s on"
                                    + " average of a tool (tool_time_s) without waiting for the simulated answer",
                            agents.tokenTimeS(), agents.toolTimeS())
                    : "";
        }

        private static String process(ArrivalSettings arrival, SharingSettings sharing) {
            if (arrival instanceof ArrivalSettings.AtOnce) {
                return "all at time 0";
            }
            if (arrival instanceof ArrivalSettings.Fixed fixed) {
                return format("every %s s from %s s on", fixed.interval(), fixed.start());
            }
            if (arrival instanceof ArrivalSettings.Poisson poisson) {
                return format("Poisson, %s requests/s%s", poisson.qps(), groups(poisson.qps(), sharing));
            }
            if (arrival instanceof ArrivalSettings.Gamma gamma) {
                return format(
                        "gamma, %s requests/s%s, coefficient of variation %.4g",
                        gamma.qps(), groups(gamma.qps(), sharing), gamma.cv());
            }
            if (arrival instanceof ArrivalSettings.Closed closed) {
                return format(
                        "closed loop, %d %sin flight%s%s",
                        closed.concurrency(),
                        sharing.hasSessions() ? "sessions " : "",
                        closed.qps()
                                .map(qps -> format(", at most %s requests/s with variation %s", qps, closed.cv()))
                                .orElse(""),
                        closed.rampUpS() > 0 ? format(", ramp-up %s s", closed.rampUpS()) : "");
            }
            return "as recorded in the trace";
        }

        /** Returns a remark if many prompts contain nothing but the shared prefix. */
        static Optional<String> shortPrompts(RequestTable requests, int prefix) {
            long count = IntStream.range(0, requests.size())
                    .filter(i -> requests.prefill(i) <= prefix)
                    .count();
            return count < MANY_SHORT * requests.size() || count == 0
                    ? Optional.empty()
                    : Optional.of(format(
                            "%d of %d prompts are not longer than the shared prefix of %d tokens and contain no other"
                                    + " tokens; prompt lengths include the prefix",
                            count, requests.size(), prefix));
        }

        /** Returns the rate of sessions or tasks as text; sessions that end early give a higher rate. */
        private static String groups(double qps, SharingSettings sharing) {
            if (sharing instanceof SharingSettings.Sessions sessions) {
                return format(" in sessions of %d turns (%.4g sessions/s)", sessions.turns(), qps / sessions.turns());
            }
            return sharing instanceof SharingSettings.Agents agents
                    ? format(" in tasks of %s calls on average (%.4g tasks/s)", agents.calls(), qps / agents.calls())
                    : "";
        }

        private static String format(String pattern, Object... values) {
            return String.format(Locale.ROOT, pattern, values);
        }
    }

    /**
     * Vidur's generators: one Python stream for inter-arrival times and uniform lengths, one numpy stream for gamma
     * inter-arrival times.
     */
    private static final class VidurSources implements RequestSources {
        private static final long NS = 1_000_000_000L;

        private final ServingWorkload workload;
        private final ArrivalSettings arrival;
        private final Mt19937 python;
        private final Mt19937 numpy;
        private int[] prefillBefore = {};
        private int[] decodeBefore = {};

        VidurSources(ServingWorkload workload, ArrivalSettings arrival) {
            this.workload = workload;
            this.arrival = arrival;
            this.python = Mt19937.pythonSeed(workload.drawSeed());
            this.numpy = Mt19937.numpySeed(workload.drawSeed());
        }

        @Override
        public LengthSource lengths(Optional<TraceRows> rows) {
            LengthSettings lengths = workload.lengths();
            if (lengths instanceof LengthSettings.Fixed fixed) {
                return Lengths.fixed(fixed.prefillTokens(), fixed.decodeTokens());
            }
            if (lengths instanceof LengthSettings.Uniform uniform) {
                return VidurLengths.uniform(
                        python, uniform.minTokens(), uniform.maxTokens(), uniform.prefillToDecodeRatio());
            }
            if (lengths instanceof LengthSettings.Zipf zipf) {
                return VidurLengths.zipf(
                        Mt19937.numpySeed(zipf.seed().orElse(workload.drawSeed())),
                        zipf.minTokens(),
                        zipf.maxTokens(),
                        zipf.theta(),
                        zipf.prefillToDecodeRatio());
            }
            if (lengths instanceof LengthSettings.Trace trace) {
                return trace(trace, rows.orElseThrow());
            }
            throw new IllegalStateException("Vidur has no " + lengths);
        }

        private LengthSource trace(LengthSettings.Trace trace, TraceRows rows) {
            int[] prefill = rows.prefill();
            int[] decode = rows.decode();
            VidurLengths.scale(prefill, trace.prefillScale());
            VidurLengths.scale(decode, trace.decodeScale());
            prefillBefore = prefill.clone();
            decodeBefore = decode.clone();
            int limit = workload.maxTokens().orElse(Integer.MAX_VALUE);
            if (ServingChecks.paired(workload, arrival)) {
                VidurLengths.capPrompt(prefill, decode, limit);
                return Lengths.rows(prefill, decode, Lengths.inOrder(rows.size()), false);
            }
            VidurLengths.capInProportion(prefill, decode, limit);
            int[] order =
                    Mt19937.numpySeed(trace.seed().orElse(workload.drawSeed())).permutation(rows.size());
            return Lengths.rows(prefill, decode, order, false);
        }

        @Override
        public InterArrivalSource gaps(Optional<TraceRows> times) {
            if (arrival instanceof ArrivalSettings.AtOnce) {
                return Gaps.atOnce();
            }
            if (arrival instanceof ArrivalSettings.Poisson poisson) {
                return Gaps.vidurPoisson(python, poisson.qps());
            }
            if (arrival instanceof ArrivalSettings.Gamma gamma) {
                return Gaps.gamma(numpy, gamma.qps(), gamma.cv());
            }
            if (arrival instanceof ArrivalSettings.Trace trace) {
                long[] timeNs = times.orElseThrow().timeNs();
                return ServingChecks.paired(workload, arrival)
                        ? Gaps.vidurReplay(scaled(timeNs, trace.timeScale()))
                        : Gaps.vidurBetween(wholeSeconds(timeNs, trace.timeScale()));
            }
            throw new IllegalStateException("Vidur has no " + arrival);
        }

        private static double[] scaled(long[] timeNs, double factor) {
            double[] times = new double[timeNs.length];
            for (int i = 0; i < times.length; i++) {
                times[i] = timeNs[i] / (double) NS * factor;
            }
            return times;
        }

        private static double[] wholeSeconds(long[] timeNs, double factor) {
            double[] times = new double[timeNs.length];
            for (int i = 0; i < times.length; i++) {
                long wholeSeconds = (timeNs[i] - timeNs[0]) / NS;
                times[i] = wholeSeconds * factor;
            }
            return times;
        }

        @Override
        public Truncation truncation(RequestTable made) {
            Truncation truncation = Truncation.NONE;
            for (int i = 0; i < made.size() && prefillBefore.length > 0; i++) {
                int row = made.row(i);
                truncation = truncation.with(
                        (long) prefillBefore[row] - made.prefill(i), (long) decodeBefore[row] - made.decode(i));
            }
            return truncation;
        }

        @Override
        public List<String> remarks() {
            return List.of("generated as in Vidur: " + quirks());
        }

        private String quirks() {
            if (arrival instanceof ArrivalSettings.Poisson) {
                return "inter-arrival times are limited to three times their mean, so the rate is 5.2 % above "
                        + "arrival.qps";
            }
            return "prompt plus output can be one token below the drawn total";
        }
    }
}
