package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.TokenGaps;
import dev.stagesim.comparison.TokenGaps.Span;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The requests of two runs, matched by id and cut to the same number of tokens.
 *
 * @param pairs the compared requests in order of id
 * @param audit treatment of every request, in order of id
 */
record Alignment(List<Pair> pairs, List<Outcome> audit) {
    /**
     * One request in both runs.
     *
     * @param tokens number of compared output tokens
     * @param simCompletion time of the last compared token in the simulation
     */
    record Pair(RequestRow real, RequestRow sim, long tokens, long simCompletion) {
        double ttftReal() {
            return real.first() - real.arrival();
        }

        double ttftSim() {
            return sim.first() - sim.arrival();
        }

        double e2eReal() {
            return real.completion() - real.arrival();
        }

        double e2eSim() {
            return simCompletion - sim.arrival();
        }

        /** Returns the mean gap without the first token, or NaN for one token. */
        double tpotReal() {
            return tokens < 2 ? Double.NaN : (double) (real.completion() - real.first()) / (tokens - 1);
        }

        double tpotSim() {
            return tokens < 2 ? Double.NaN : (double) (simCompletion - sim.first()) / (tokens - 1);
        }
    }

    /** Outcome of a request: {@code compared}, {@code warm_up}, {@code cancelled}, {@code failed_real} or {@code failed_sim}. */
    record Outcome(long id, String outcome, long tokens, long cut) {}

    Alignment {
        pairs = List.copyOf(pairs);
        audit = List.copyOf(audit);
    }

    /**
     * Matches two comparable runs. It is an input error if no request remains.
     *
     * @param gaps gaps of the simulated run up to the tokens that {@link #wanted} returns; read when a request is cut
     */
    static Alignment of(ComparedRun real, ComparedRun sim, CompareSettings settings, Optional<TokenGaps> gaps) {
        Map<Long, RequestRow> simulated = new HashMap<>();
        sim.rows().forEach(row -> simulated.put(row.id(), row));
        Set<Long> warmUp = warmUp(real, settings.excludeWarmup());
        List<Pair> pairs = new ArrayList<>();
        List<Outcome> audit = new ArrayList<>();
        Cut cuts = new Cut(gaps);
        for (RequestRow row : real.rows()) {
            RequestRow other = Objects.requireNonNull(simulated.get(row.id()));
            String left = row.cancelled() || other.cancelled()
                    ? "cancelled"
                    : !row.completed()
                            ? "failed_real"
                            : !other.completed() ? "failed_sim" : warmUp.contains(row.id()) ? "warm_up" : "";
            if (left.isEmpty()) {
                long tokens = row.actual();
                long cut = other.actual() - tokens;
                pairs.add(new Pair(row, other, tokens, cut == 0 ? other.completion() : cuts.completion(other, tokens)));
                audit.add(new Outcome(row.id(), "compared", tokens, cut));
            } else {
                audit.add(new Outcome(row.id(), left, 0, 0));
            }
        }
        cuts.check();
        if (pairs.isEmpty()) {
            throw StageException.input(Problem.config(
                            "compare.exclude_warmup",
                            "is " + settings.excludeWarmup() + ": of "
                                    + real.rows().size() + " requests none is left to compare")
                    .hint("exclude fewer"));
        }
        return new Alignment(pairs, audit);
    }

    /** Selects the first requests by arrival, with any status. */
    private static Set<Long> warmUp(ComparedRun real, int count) {
        Set<Long> ids = new HashSet<>();
        real.rows().stream()
                .sorted(Comparator.comparingLong(RequestRow::arrival).thenComparingLong(RequestRow::id))
                .limit(count)
                .forEach(row -> ids.add(row.id()));
        return ids;
    }

    /** Returns the number of tokens to compare, by request: the measured tokens of requests that completed in both runs. */
    static Map<Long, Long> wanted(ComparedRun real, ComparedRun sim, CompareSettings settings) {
        Set<Long> completed = new HashSet<>();
        sim.rows().stream().filter(RequestRow::completed).forEach(row -> completed.add(row.id()));
        Set<Long> warmUp = warmUp(real, settings.excludeWarmup());
        Map<Long, Long> tokens = new HashMap<>();
        for (RequestRow row : real.rows()) {
            if (row.completed() && completed.contains(row.id()) && !warmUp.contains(row.id())) {
                tokens.put(row.id(), row.actual());
            }
        }
        return tokens;
    }

    long count(String outcome) {
        return audit.stream().filter(o -> o.outcome().equals(outcome)).count();
    }

    /** Returns a warning if some requests did not complete in both runs. */
    Optional<String> leftOut() {
        long left = audit.size() - count("compared") - count("warm_up");
        return left == 0
                ? Optional.empty()
                : Optional.of(left + " of " + audit.size()
                        + " requests are left out because they did not complete on both sides ("
                        + count("cancelled") + " cancelled, " + count("failed_real") + " failed on the real side, "
                        + count("failed_sim")
                        + " on the sim side): percentiles and rates describe the remaining requests");
    }

    long cutRequests() {
        return audit.stream().filter(o -> o.cut() > 0).count();
    }

    long cutTokens() {
        return audit.stream().mapToLong(Outcome::cut).sum();
    }

    /** Computes completion times of requests that are cut to fewer tokens, and collects the requests that cannot be cut. */
    private static final class Cut {
        private static final int MAX_SHOWN = 5;
        private final Optional<TokenGaps> gaps;
        private final List<String> wrong = new ArrayList<>();

        Cut(Optional<TokenGaps> gaps) {
            this.gaps = gaps;
        }

        /** Returns the time of token {@code tokens}. {@link #check} reports if it was available. */
        long completion(RequestRow row, long tokens) {
            Span span =
                    gaps.map(g -> g.spans().getOrDefault(row.id(), Span.NONE)).orElse(Span.NONE);
            long expected = Math.max(0, tokens - 1);
            if (span.gaps() != expected) {
                wrong.add("request " + row.id() + " has " + span.gaps() + " of " + expected);
            }
            return row.first() + span.time();
        }

        /** Rejects a token table without exactly one row per token of a request. */
        void check() {
            if (!wrong.isEmpty()) {
                String more = wrong.size() > MAX_SHOWN ? ", and " + (wrong.size() - MAX_SHOWN) + " more requests" : "";
                throw StageException.input(Problem.artifact(
                                gaps.map(TokenGaps::file).orElse("token_metrics.csv"),
                                "does not have one row for each token after the first: "
                                        + String.join(", ", wrong.subList(0, Math.min(MAX_SHOWN, wrong.size())))
                                        + more)
                        .note(
                                "expected",
                                "one row for each token_index from 1 to tokens - 1 of every truncated request"));
            }
        }
    }
}
