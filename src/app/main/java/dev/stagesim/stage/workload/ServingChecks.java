package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.Timestamps;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.sim.workload.TokenDistribution;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.List;

/** Finds conflicting settings and settings without effect, and reports all at once. */
final class ServingChecks {
    private final ServingWorkload workload;
    private final ArrivalSettings arrival;
    private final List<Problem> problems = new ArrayList<>();

    private ServingChecks(ServingWorkload workload, ArrivalSettings arrival) {
        this.workload = workload;
        this.arrival = arrival;
    }

    static void check(ServingWorkload workload, ArrivalSettings arrival, CompatMode compat) {
        ServingChecks checks = new ServingChecks(workload, arrival);
        checks.dir();
        checks.file();
        checks.lengths();
        checks.end();
        checks.window();
        checks.sharing();
        checks.closedLoop();
        if (compat == CompatMode.ASTRA || compat == CompatMode.CHAKRA) {
            checks.problems.add(Problem.config("compat", "only Vidur generates requests to a service")
                    .options(List.of("none", "vidur")));
        } else if (compat == CompatMode.VIDUR) {
            checks.problems.addAll(VidurChecks.check(workload, arrival));
        } else {
            checks.seed();
        }
        StageException.refuse(checks.problems);
    }

    /** Returns true if lengths are read from workload.file. */
    static boolean lengthsFromFile(ServingWorkload workload) {
        LengthSettings lengths = workload.lengths();
        return lengths instanceof LengthSettings.Trace
                || lengths instanceof LengthSettings.Empirical
                || lengths instanceof LengthSettings.Prompts;
    }

    /** Returns true if no request has a later arrival time than another one. */
    static boolean isAtOnce(ArrivalSettings arrival) {
        return arrival instanceof ArrivalSettings.AtOnce
                || (arrival instanceof ArrivalSettings.Closed closed
                        && closed.qps().isEmpty());
    }

    /** Returns true if arrival times are read from workload.file. */
    static boolean timesFromFile(ArrivalSettings arrival) {
        return arrival instanceof ArrivalSettings.Trace trace && trace.file().isEmpty();
    }

    /** Returns true if lengths and arrival time of each request are from the same row of workload.file. */
    static boolean paired(ServingWorkload workload, ArrivalSettings arrival) {
        return timesFromFile(arrival)
                && workload.lengths() instanceof LengthSettings.Trace trace
                && trace.order() == RowOrder.FILE;
    }

    private void dir() {
        if (workload.dir().isPresent()) {
            add(
                    "workload.dir",
                    "it refers to a finished workload, so this stage has nothing to generate",
                    "pass it to a stage that uses workloads, such as vidur_sim or compare");
        }
    }

    private void file() {
        boolean used = lengthsFromFile(workload) || timesFromFile(arrival);
        if (used && workload.source().file().isEmpty()) {
            add(
                    "workload.file",
                    "it is null, but lengths or arrivals require a file",
                    whereToGet(workload.source().format()));
        }
        if (!used && workload.source().file().isPresent()) {
            add(
                    "workload.file",
                    "it has no effect, because neither lengths nor arrivals are read from it",
                    "set workload.lengths.kind = trace or arrival.kind = trace");
        }
        if (used || workload.source().file().isPresent()) {
            return;
        }
        if (workload.source().format() != TraceFormat.AUTO) {
            add("workload.format", "it has no effect without workload.file", "");
        }
        if (!workload.source().rows().equals(RowSettings.ALL)) {
            add("workload.rows", "it has no effect without workload.file", "");
        }
        if (workload.source().tokenizer().isPresent()) {
            add("workload.tokenizer", "it has no effect without a workload.file with text", "");
        }
    }

    /** Public traces are not shipped, because their licences require attribution or their origin is unclear. */
    private static String whereToGet(TraceFormat format) {
        return switch (format) {
            case AZURE ->
                "get a trace from github.com/Azure/AzurePublicDataset (AzureLLMInferenceTrace_*.csv, CC-BY) and "
                        + "set it";
            case BURSTGPT -> "get a trace from github.com/HPMLL/BurstGPT (CC-BY-4.0) and set it";
            case MOONCAKE -> "get a trace from github.com/kvcache-ai/Mooncake (FAST25-release/traces) and set it";
            case SHAREGPT ->
                "set it to a JSON array of conversations, for example ShareGPT_V3_unfiltered_cleaned_split.json, "
                        + "or use workload=chat_poisson for similar synthetic lengths";
            default -> "set it to the path of a trace, lengths or prompts file";
        };
    }

    private void lengths() {
        LengthSettings lengths = workload.lengths();
        if (lengths instanceof LengthSettings.Uniform uniform) {
            ordered("workload.lengths", uniform.minTokens(), uniform.maxTokens());
        } else if (lengths instanceof LengthSettings.Zipf zipf) {
            ordered("workload.lengths", zipf.minTokens(), zipf.maxTokens());
        } else if (lengths instanceof LengthSettings.LogNormal logNormal) {
            ordered(
                    "workload.lengths.prefill",
                    logNormal.prefill().min(),
                    logNormal.prefill().max());
            ordered(
                    "workload.lengths.decode",
                    logNormal.decode().min(),
                    logNormal.decode().max());
        } else if (lengths instanceof LengthSettings.Distributions drawn) {
            distribution("workload.lengths.prefill_tokens", drawn.prefillTokens());
            distribution("workload.lengths.decode_tokens", drawn.decodeTokens());
        } else if (lengths instanceof LengthSettings.Fixed fixed) {
            limit("", fixed.prefillTokens(), fixed.decodeTokens());
        } else if (lengths instanceof LengthSettings.Listed listed) {
            listed(listed);
        }
    }

    /** Rejects stated lengths above the limit, unless workload.overlong is set to truncate them. */
    private boolean limit(String prefix, int prefill, int decode) {
        long total = (long) prefill + decode;
        long maxTokens = workload.maxTokens().map(Integer::longValue).orElse(Long.MAX_VALUE);
        boolean isOver = DefaultSources.overlong(workload) == Overlong.ERROR && total > maxTokens;
        if (isOver) {
            add(
                    "workload.lengths",
                    prefix + prefill + " prompt and " + decode + " output tokens are " + total
                            + " tokens, above workload.max_tokens, " + maxTokens,
                    allowing(total));
        }
        return isOver;
    }

    /** Returns a hint with the keys that allow requests of {@code tokens} tokens. */
    static String allowing(long tokens) {
        return "set workload.max_tokens=" + tokens
                + " if the context of the model is large enough, or workload.overlong=trim_prompt to truncate "
                + "prompts";
    }

    private void distribution(String key, String text) {
        try {
            TokenDistribution.parse(text);
        } catch (IllegalArgumentException e) {
            add(key, String.valueOf(e.getMessage()), "");
        }
    }

    private void ordered(String section, int minimum, int maximum) {
        if (minimum > maximum) {
            add(section, "the minimum " + minimum + " is above the maximum, " + maximum, "");
        }
    }

    private void listed(LengthSettings.Listed listed) {
        int prompts = listed.prefillTokens().size();
        int outputs = listed.decodeTokens().size();
        if (prompts == 0) {
            add("workload.lengths.prefill_tokens", "the list is empty, expected a number per request", "");
        }
        if (outputs != 1 && outputs != prompts) {
            add(
                    "workload.lengths.decode_tokens",
                    "it has " + outputs + " values, expected 1 or as many as prefill_tokens has: " + prompts,
                    "");
        }
        for (int i = 0; i < prompts && (outputs == 1 || outputs == prompts); i++) {
            int output = listed.decodeTokens().get(outputs == 1 ? 0 : i);
            if (limit("request " + i + ": ", listed.prefillTokens().get(i), output)) {
                break;
            }
        }
        if (workload.numRequests().filter(n -> n > prompts).isPresent()) {
            add("workload.num_requests", "it is above the " + prompts + " requests that workload.lengths lists", "");
        }
    }

    private void end() {
        LengthSettings lengths = workload.lengths();
        boolean lengthsEnd = lengths instanceof LengthSettings.Listed
                || (lengths instanceof LengthSettings.Trace trace && !trace.repeat())
                || (lengths instanceof LengthSettings.Prompts prompts && !prompts.repeat());
        boolean timesEnd = arrival instanceof ArrivalSettings.Trace;
        boolean allAtOnce =
                isAtOnce(arrival) || (arrival instanceof ArrivalSettings.Fixed fixed && fixed.interval() == 0);
        boolean timed = workload.duration().isPresent();
        if (allAtOnce && timed) {
            add("workload.duration", "it has no effect if all requests arrive at once", "set workload.num_requests");
        } else if (workload.numRequests().isEmpty() && !timed && !lengthsEnd && !timesEnd) {
            add(
                    "workload.num_requests",
                    "the number of requests is not set",
                    "set workload.num_requests, or workload.duration in seconds");
        }
    }

    /** Rejects a seed without effect. Vidur is exempt, because its configurations always state a seed. */
    private void seed() {
        if (workload.seed().isEmpty()
                || workload.source().rows().sample().isPresent()
                || arrivalsDraw()
                || lengthsDraw()
                || isShared()) {
            return;
        }
        add(
                "workload.seed",
                "it has no effect: neither lengths, arrivals nor rows are drawn"
                        + (lengthsHaveSeed() ? ", except with workload.lengths.seed" : ""),
                "omit it, or use a random distribution, for example arrival=poisson or "
                        + "workload.lengths.kind=log_normal");
    }

    private boolean isShared() {
        return !workload.sharing().isNone();
    }

    private void sharing() {
        if (isShared() && workload.lengths() instanceof LengthSettings.Prompts) {
            add(
                    "workload.sharing",
                    "prompts with text cannot get another prefix",
                    "omit it, or use another source of lengths");
        }
    }

    private void closedLoop() {
        if (!(arrival instanceof ArrivalSettings.Closed closed)) {
            if (workload.sharing() instanceof SharingSettings.Sessions sessions && sessions.thinkTimeS() == 0) {
                add(
                        "workload.sharing.think_time_s",
                        "must be positive unless a turn follows the previous answer",
                        "set concurrency=, or a think time");
            }
            return;
        }
        if (workload.sharing() instanceof SharingSettings.Agents agents
                && agents.tokenTimeS()
                        != KeyRecord.defaults(SharingSettings.Agents.class).tokenTimeS()) {
            add(
                    "workload.sharing.token_time_s",
                    "has no effect in a closed loop, in which a call follows the simulated answer",
                    "omit it, or use rate= instead of concurrency=");
        }
        workload.numRequests()
                .filter(count -> count <= closed.warmupRequests())
                .ifPresent(count ->
                        add("arrival.warmup_requests", "no request is left of workload.num_requests=" + count, ""));
    }

    private boolean arrivalsDraw() {
        return arrival.rate().isPresent();
    }

    /** Returns true if lengths use workload.seed instead of workload.lengths.seed. */
    private boolean lengthsDraw() {
        LengthSettings lengths = workload.lengths();
        boolean drawn = lengths instanceof LengthSettings.Uniform
                || lengths instanceof LengthSettings.Zipf
                || lengths instanceof LengthSettings.LogNormal
                || lengths instanceof LengthSettings.Distributions
                || lengths instanceof LengthSettings.Empirical
                || (lengths instanceof LengthSettings.Trace trace && trace.order() != RowOrder.FILE)
                || (lengths instanceof LengthSettings.Prompts prompts && prompts.order() != RowOrder.FILE);
        return drawn && !lengthsHaveSeed();
    }

    private boolean lengthsHaveSeed() {
        LengthSettings lengths = workload.lengths();
        return (lengths instanceof LengthSettings.Zipf zipf && zipf.seed().isPresent())
                || (lengths instanceof LengthSettings.LogNormal logNormal
                        && logNormal.seed().isPresent())
                || (lengths instanceof LengthSettings.Empirical empirical
                        && empirical.seed().isPresent())
                || (lengths instanceof LengthSettings.Trace trace
                        && trace.seed().isPresent())
                || (lengths instanceof LengthSettings.Prompts prompts
                        && prompts.seed().isPresent());
    }

    private void window() {
        if (arrival instanceof ArrivalSettings.Trace trace) {
            trace.start().ifPresent(text -> time("arrival.start", text));
            trace.end().ifPresent(text -> time("arrival.end", text));
        }
    }

    private void time(String key, String text) {
        try {
            Timestamps.nanos(text);
        } catch (IllegalArgumentException e) {
            add(key, String.valueOf(e.getMessage()), "");
        }
    }

    private void add(String key, String what, String hint) {
        Problem problem = Problem.config(key, what);
        problems.add(hint.isEmpty() ? problem : problem.hint(hint));
    }

    /** Finds settings that Vidur does not support. */
    private static final class VidurChecks {
        private static final long SEEDS = 1L << 32;

        private final List<Problem> problems = new ArrayList<>();

        private VidurChecks() {}

        static List<Problem> check(ServingWorkload workload, ArrivalSettings arrival) {
            VidurChecks checks = new VidurChecks();
            checks.lengths(workload, ServingChecks.paired(workload, arrival));
            checks.cap(workload, ServingChecks.paired(workload, arrival));
            if (arrival instanceof ArrivalSettings.Closed) {
                checks.add("arrival.kind", "Vidur has no limit on the requests in flight");
            }
            if (arrival.rate().filter(ArrivalSettings.Rate::isExact).isPresent()) {
                checks.add("arrival.exact_rate", "Vidur does not scale the times of arrivals");
            }
            if (arrival instanceof ArrivalSettings.Fixed) {
                checks.add("arrival.kind", "Vidur has no arrivals at a fixed interval");
            }
            if (workload.drawSeed() >= SEEDS) {
                checks.add("workload.seed", "Vidur's generators require seeds below 2^32");
            }
            if (!workload.sharing().isNone()) {
                checks.add("workload.sharing", "Vidur's requests share no tokens");
            }
            return checks.problems;
        }

        private void lengths(ServingWorkload workload, boolean replay) {
            LengthSettings lengths = workload.lengths();
            if (lengths instanceof LengthSettings.Zipf zipf) {
                if (zipf.scramble()) {
                    problems.add(Problem.config(
                                    "workload.lengths.scramble",
                                    "Vidur scatters with Python's salted string hash, which changes from run to run: its results are "
                                            + "not reproducible")
                            .hint("omit compat=vidur: the default scatters by the seed"));
                }
                if (zipf.theta() == 1.0) {
                    add("workload.lengths.theta", "Vidur's method divides by zero at theta 1");
                }
                zipf.seed()
                        .filter(s -> s >= SEEDS)
                        .ifPresent(s -> add("workload.lengths.seed", "numpy requires seeds below 2^32"));
            } else if (lengths instanceof LengthSettings.Trace trace) {
                trace(trace, replay);
            } else if (!(lengths instanceof LengthSettings.Fixed) && !(lengths instanceof LengthSettings.Uniform)) {
                add("workload.lengths.kind", "Vidur supports the kinds fixed, uniform, zipf and trace");
            }
        }

        private void trace(LengthSettings.Trace trace, boolean replay) {
            if (trace.repeat()) {
                add("workload.lengths.repeat", "Vidur uses every row once");
            }
            if (!replay && trace.order() == RowOrder.FILE) {
                add(
                        "workload.lengths.order",
                        "Vidur shuffles lengths unless it replays a trace with arrivals: set shuffled");
            }
            trace.seed()
                    .filter(s -> s >= SEEDS)
                    .ifPresent(s -> add("workload.lengths.seed", "numpy requires seeds below 2^32"));
        }

        private void cap(ServingWorkload workload, boolean replay) {
            Overlong vidurs = replay ? Overlong.TRIM_PROMPT : Overlong.PROPORTIONAL;
            if (workload.overlong().filter(o -> o != vidurs).isPresent()) {
                add("workload.overlong", "in this case Vidur uses " + KeyNames.constant(vidurs));
            }
            if (workload.maxTokens().isPresent() && !(workload.lengths() instanceof LengthSettings.Trace)) {
                add("workload.max_tokens", "Vidur limits only lengths of a trace");
            }
        }

        private void add(String key, String what) {
            problems.add(Problem.config(key, what).from("compat=vidur"));
        }
    }
}
