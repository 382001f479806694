package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.LogNormalTokens;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.workload.Gaps;
import dev.stagesim.sim.workload.InterArrivalSource;
import dev.stagesim.sim.workload.LengthSource;
import dev.stagesim.sim.workload.Lengths;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.TokenCap;
import dev.stagesim.sim.workload.TokenDistribution;
import dev.stagesim.sim.workload.Truncation;
import dev.stagesim.workload.ArrivalSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Default generators. Lengths and arrivals use separate random streams of the seed, so that they are independent. */
final class DefaultSources implements RequestSources {
    private final ServingWorkload workload;
    private final ArrivalSettings arrival;
    private final Overlong overlong;
    private long dropped;
    private Optional<TokenCap> cap = Optional.empty();

    DefaultSources(ServingWorkload workload, ArrivalSettings arrival) {
        this.workload = workload;
        this.arrival = arrival;
        this.overlong = overlong(workload);
    }

    /**
     * Returns the handling of requests above the length limit: as configured, otherwise trimmed if lengths are drawn or
     * recorded.
     */
    static Overlong overlong(ServingWorkload workload) {
        boolean isStated = workload.lengths() instanceof LengthSettings.Fixed
                || workload.lengths() instanceof LengthSettings.Listed;
        return workload.overlong().orElse(isStated ? Overlong.ERROR : Overlong.TRIM_PROMPT);
    }

    @Override
    public LengthSource lengths(Optional<TraceRows> rows) {
        LengthSource plain = ServingChecks.lengthsFromFile(workload)
                ? fromRows(workload.lengths(), rows.orElseThrow())
                : drawn(workload.lengths());
        if (workload.maxTokens().isEmpty() || overlong == Overlong.ERROR) {
            return plain;
        }
        TokenCap capped = new TokenCap(plain, workload.maxTokens().get(), overlong);
        cap = Optional.of(capped);
        return capped;
    }

    private LengthSource drawn(LengthSettings lengths) {
        if (lengths instanceof LengthSettings.Fixed fixed) {
            return Lengths.fixed(fixed.prefillTokens(), fixed.decodeTokens());
        }
        if (lengths instanceof LengthSettings.Uniform uniform) {
            return Lengths.uniform(
                    stream(Optional.empty()), uniform.minTokens(), uniform.maxTokens(), uniform.prefillToDecodeRatio());
        }
        if (lengths instanceof LengthSettings.Zipf zipf) {
            return Lengths.zipf(
                    stream(zipf.seed()),
                    zipf.minTokens(),
                    zipf.maxTokens(),
                    zipf.theta(),
                    zipf.prefillToDecodeRatio(),
                    zipf.scramble());
        }
        if (lengths instanceof LengthSettings.LogNormal logNormal) {
            return Lengths.logNormal(stream(logNormal.seed()), shape(logNormal.prefill()), shape(logNormal.decode()));
        }
        if (lengths instanceof LengthSettings.Distributions drawn) {
            return Lengths.independent(
                    stream(Optional.empty()),
                    TokenDistribution.parse(drawn.prefillTokens()),
                    TokenDistribution.parse(drawn.decodeTokens()));
        }
        if (lengths instanceof LengthSettings.Listed listed) {
            return listed(listed);
        }
        throw new IllegalStateException("no generator for " + lengths);
    }

    private static LengthSource listed(LengthSettings.Listed listed) {
        int[] prefill = ints(listed.prefillTokens());
        int[] decode = ints(listed.decodeTokens());
        if (decode.length == 1) {
            int all = decode[0];
            decode = new int[prefill.length];
            Arrays.fill(decode, all);
        }
        return Lengths.rows(prefill, decode, Lengths.inOrder(prefill.length), false);
    }

    private LengthSource fromRows(LengthSettings lengths, TraceRows rows) {
        if (lengths instanceof LengthSettings.Empirical empirical) {
            scale(rows, empirical.prefillScale(), empirical.decodeScale());
            dropOver(rows);
            return Lengths.drawnRows(stream(empirical.seed()), rows.prefill(), rows.decode());
        }
        if (lengths instanceof LengthSettings.Trace trace) {
            scale(rows, trace.prefillScale(), trace.decodeScale());
            return rows(rows, trace.order(), trace.repeat(), trace.seed());
        }
        if (lengths instanceof LengthSettings.Prompts prompts) {
            if (!rows.hasText()) {
                throw ServingBuilder.refuse(
                        "workload.lengths.kind", "the file has no prompts", "set workload.lengths.kind = trace");
            }
            ServingBuilder.requireOutputs(prompts, rows);
            return rows(rows, prompts.order(), prompts.repeat(), prompts.seed());
        }
        throw new IllegalStateException("no source for " + lengths);
    }

    private LengthSource rows(TraceRows rows, RowOrder order, boolean repeat, Optional<Long> seed) {
        dropOver(rows);
        int[] indexes =
                order == RowOrder.FILE ? Lengths.inOrder(rows.size()) : Lengths.shuffled(stream(seed), rows.size());
        return Lengths.rows(rows.prefill(), rows.decode(), indexes, repeat);
    }

    /** Removes rows instead of draws, together with their arrivals. */
    private void dropOver(TraceRows rows) {
        if (overlong == Overlong.DROP && workload.maxTokens().isPresent()) {
            dropped += rows.dropOver(workload.maxTokens().get());
        }
    }

    private static void scale(TraceRows rows, double prefillFactor, double decodeFactor) {
        scale(rows.prefill(), prefillFactor);
        scale(rows.decode(), decodeFactor);
    }

    private static void scale(int[] lengths, double factor) {
        for (int i = 0; factor != 1.0 && i < lengths.length; i++) {
            lengths[i] = (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.rint(lengths[i] * factor)));
        }
    }

    @Override
    public InterArrivalSource gaps(Optional<TraceRows> times) {
        RandomStream random = RandomStream.of(workload.drawSeed(), "arrivals");
        if (arrival.rate().isPresent()) {
            ArrivalSettings.Rate rate = arrival.rate().get();
            return rate.cv() == 1 && !(arrival instanceof ArrivalSettings.Gamma)
                    ? Gaps.poisson(random, rate.qps())
                    : Gaps.gamma(random, rate.qps(), rate.cv());
        }
        if (ServingChecks.isAtOnce(arrival)) {
            return Gaps.atOnce();
        }
        if (arrival instanceof ArrivalSettings.Fixed fixed) {
            return Gaps.even(fixed.start(), fixed.interval());
        }
        if (arrival instanceof ArrivalSettings.Trace trace) {
            return Gaps.between(times.orElseThrow().timeNs(), trace.timeScale());
        }
        throw new IllegalStateException("no arrivals for " + arrival);
    }

    @Override
    public Truncation truncation(RequestTable made) {
        return cap.map(TokenCap::truncation).orElse(Truncation.NONE).dropping(dropped);
    }

    @Override
    public List<String> remarks() {
        return List.of();
    }

    private RandomStream stream(Optional<Long> seed) {
        return RandomStream.of(seed.orElse(workload.drawSeed()), "lengths");
    }

    private static Lengths.LogNormal shape(LogNormalTokens tokens) {
        return new Lengths.LogNormal(tokens.median(), tokens.sigma(), tokens.min(), tokens.max());
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }
}
