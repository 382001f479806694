package dev.stagesim.stage.workload;

import dev.stagesim.model.Variant;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.LengthSettings;
import dev.stagesim.settings.ServingWorkload;
import java.util.Locale;

/** Words for what settings ask for. */
final class Sentences {
    private Sentences() {}

    static String source(ServingWorkload workload, ArrivalSettings arrival) {
        return "Lengths: " + lengths(workload) + ". Arrivals: " + arrivals(arrival) + ". Seed " + workload.drawSeed()
                + ".";
    }

    private static String lengths(ServingWorkload workload) {
        LengthSettings lengths = workload.lengths();
        String kind = lengths.getClass().getAnnotation(Variant.class).value();
        return workload.file()
                .filter(file -> ServingChecks.lengthsFromFile(workload))
                .map(file -> kind + " of " + file.getFileName())
                .orElse(kind.replace('_', '-'));
    }

    private static String arrivals(ArrivalSettings arrival) {
        if (arrival instanceof ArrivalSettings.AtOnce) {
            return "all at time 0";
        }
        if (arrival instanceof ArrivalSettings.Fixed fixed) {
            return format("every %s s from %s s on", fixed.interval(), fixed.start());
        }
        if (arrival instanceof ArrivalSettings.Poisson poisson) {
            return format("Poisson, %s requests/s", poisson.qps());
        }
        if (arrival instanceof ArrivalSettings.Gamma gamma) {
            return format("gamma, %s requests/s, coefficient of variation %s", gamma.qps(), gamma.cv());
        }
        return "as recorded in the trace";
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
