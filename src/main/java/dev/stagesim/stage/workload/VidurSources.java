package dev.stagesim.stage.workload;

import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.LengthSettings;
import dev.stagesim.settings.ServingWorkload;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.workload.GapSource;
import dev.stagesim.sim.workload.Gaps;
import dev.stagesim.sim.workload.LengthSource;
import dev.stagesim.sim.workload.Lengths;
import dev.stagesim.sim.workload.VidurLengths;
import java.util.List;
import java.util.Optional;

/** Vidur's generators: one Python stream shared by gaps and uniform lengths, one numpy stream for gamma gaps. */
final class VidurSources implements Sources {
    private static final long NS = 1_000_000_000L;

    private final ServingWorkload workload;
    private final ArrivalSettings arrival;
    private final Mt19937 python;
    private final Mt19937 numpy;

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
        int most = workload.maxTokens().orElse(Integer.MAX_VALUE);
        if (ServingChecks.paired(workload, arrival)) {
            VidurLengths.capPrompt(prefill, decode, most);
            return Lengths.rows(prefill, decode, Lengths.inOrder(rows.size()), false);
        }
        VidurLengths.capInProportion(prefill, decode, most);
        int[] order =
                Mt19937.numpySeed(trace.seed().orElse(workload.drawSeed())).permutation(rows.size());
        return Lengths.rows(prefill, decode, order, false);
    }

    @Override
    public GapSource gaps(Optional<TraceRows> times) {
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
    public List<String> remarks() {
        return List.of("generated as Vidur does: " + quirks());
    }

    private String quirks() {
        if (arrival instanceof ArrivalSettings.Poisson) {
            return "gaps are cut at three times their mean, so the rate is 5.2 % above arrival.qps";
        }
        return "sums of lengths may be a token short of the drawn total";
    }
}
