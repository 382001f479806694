package dev.stagesim.stage.workload;

import dev.stagesim.model.Problem;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.LengthSettings;
import dev.stagesim.settings.Overlong;
import dev.stagesim.settings.RowOrder;
import dev.stagesim.settings.ServingWorkload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds settings that Vidur has no counterpart of, so that its numbers could not be reproduced. */
final class VidurChecks {
    private static final long SEEDS = 1L << 32;

    private final List<Problem> problems = new ArrayList<>();

    private VidurChecks() {}

    static List<Problem> check(ServingWorkload workload, ArrivalSettings arrival) {
        VidurChecks checks = new VidurChecks();
        checks.lengths(workload, ServingChecks.paired(workload, arrival));
        checks.cap(workload, ServingChecks.paired(workload, arrival));
        if (arrival instanceof ArrivalSettings.Fixed) {
            checks.add("arrival.kind", "Vidur has no arrivals at a fixed interval");
        }
        if (workload.drawSeed() >= SEEDS) {
            checks.add("workload.seed", "Vidur's generators take seeds below 2^32");
        }
        return checks.problems;
    }

    private void lengths(ServingWorkload workload, boolean replay) {
        LengthSettings lengths = workload.lengths();
        if (lengths instanceof LengthSettings.Zipf zipf) {
            if (zipf.scramble()) {
                problems.add(Problem.of(
                                "config error",
                                "workload.lengths.scramble",
                                "Vidur scatters with Python's salted string hash, which differs from run to run: there"
                                        + " are no numbers to reproduce")
                        .hint("leave out compat=vidur: the default scatters by the seed, the same in every run"));
            }
            if (zipf.theta() == 1.0) {
                add("workload.lengths.theta", "Vidur's method divides by zero at theta 1");
            }
            zipf.seed()
                    .filter(s -> s >= SEEDS)
                    .ifPresent(s -> add("workload.lengths.seed", "numpy takes seeds below 2^32"));
        } else if (lengths instanceof LengthSettings.Trace trace) {
            trace(trace, replay);
        } else if (!(lengths instanceof LengthSettings.Fixed) && !(lengths instanceof LengthSettings.Uniform)) {
            add("workload.lengths.kind", "Vidur has no lengths of this kind: fixed, uniform, zipf, trace");
        }
    }

    private void trace(LengthSettings.Trace trace, boolean replay) {
        if (trace.repeat()) {
            add("workload.lengths.repeat", "Vidur uses every row once");
        }
        if (!replay && trace.order() == RowOrder.FILE) {
            add(
                    "workload.lengths.order",
                    "Vidur shuffles lengths unless it replays a trace with its arrivals: set shuffled");
        }
        trace.seed()
                .filter(s -> s >= SEEDS)
                .ifPresent(s -> add("workload.lengths.seed", "numpy takes seeds below 2^32"));
    }

    private void cap(ServingWorkload workload, boolean replay) {
        Overlong vidurs = replay ? Overlong.TRIM_PROMPT : Overlong.PROPORTIONAL;
        if (workload.overlong().filter(o -> o != vidurs).isPresent()) {
            add("workload.overlong", "here Vidur's way is " + vidurs.name().toLowerCase(Locale.ROOT));
        }
        if (workload.maxTokens().isPresent() && !(workload.lengths() instanceof LengthSettings.Trace)) {
            add("workload.max_tokens", "Vidur caps lengths that come from a trace only");
        }
    }

    private void add(String key, String what) {
        problems.add(Problem.of("config error", key, what).from("compat=vidur"));
    }
}
