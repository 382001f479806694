package dev.stagesim.stage.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.workload.ArrivalSettings;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/**
 * The mean rate of requests in sessions. Fewer sessions overlap at the start and at the end of a run, which lowers the rate
 * of a run that is short relative to its sessions.
 *
 * @param qps requested rate in requests per second
 * @param cv coefficient of variation of the times between sessions
 * @param turns mean requests per session
 * @param gap key and mean value of the times between requests
 */
record SessionRate(double qps, double cv, double turns, String gap) {
    private static final int DIGITS = 3;

    /** Minimum mean rate of a run without a warning, as a share of the requested rate. */
    private static final double MIN_SHARE = 0.8;

    /** Minimum mean rate of a suggested run, as a share of the requested rate. */
    private static final double STEADY_SHARE = 0.95;

    /** Standard deviations of the last start that a run may exceed without a warning. */
    private static final double MAX_DEVIATIONS = 3;

    private static final int MAX_SUGGESTED = 2_000_000;
    private static final double GROWTH = 1.25;

    /** Draws a workload with another number of requests. */
    @FunctionalInterface
    interface Redraw {
        RequestTable requests(int count) throws IOException;
    }

    /** Returns the requested rate of sessions; empty if there are none, or if the load has no rate. */
    static Optional<SessionRate> of(ServingWorkload workload, ArrivalSettings arrival) {
        boolean isLoop = arrival instanceof ArrivalSettings.Closed;
        double qps = isLoop ? 0 : arrival.rate().map(ArrivalSettings.Rate::qps).orElse(0.0);
        double cv = arrival.rate().map(ArrivalSettings.Rate::cv).orElse(1.0);
        if (qps > 0 && workload.sharing() instanceof SharingSettings.Sessions sessions) {
            return Optional.of(new SessionRate(
                    qps,
                    cv,
                    sessions.turns(),
                    "workload.sharing.think_time_s=" + Numbers.plain(sessions.thinkTimeS())));
        }
        return qps > 0 && workload.sharing() instanceof SharingSettings.Agents agents
                ? Optional.of(new SessionRate(
                        qps, cv, agents.calls(), "workload.sharing.tool_time_s=" + Numbers.plain(agents.toolTimeS())))
                : Optional.empty();
    }

    /** Returns a warning if the mean rate is lower than random arrivals of these sessions explain; empty otherwise. */
    Optional<String> warning(RequestTable requests, Redraw redraw) throws IOException {
        int size = requests.size();
        double seconds = seconds(requests);
        double starts = size / qps;
        double noise = MAX_DEVIATIONS * cv * Math.sqrt(turns / Math.max(1, size));
        if (seconds <= starts * (1 / MIN_SHARE + noise)) {
            return Optional.empty();
        }
        return Optional.of("the mean rate is " + Numbers.significant(size / seconds, DIGITS) + " instead of "
                + Numbers.plain(qps) + " requests/s: sessions start for " + whole(starts)
                + " s, and the last one ends after " + whole(seconds) + " s; " + sufficient(requests, redraw)
                + "lower the times between turns (" + gap + ")");
    }

    private static String whole(double seconds) {
        return String.format(Locale.ROOT, "%.0f", seconds);
    }

    private static double seconds(RequestTable requests) {
        return requests.size() == 0 ? 0 : requests.arrivalNs(requests.size() - 1) / NS_PER_S;
    }

    /** Returns a number of requests whose mean rate was found to be close to the requested one; empty if too large. */
    private String sufficient(RequestTable requests, Redraw redraw) throws IOException {
        double excess = seconds(requests) - requests.size() / qps;
        double count = excess * qps * STEADY_SHARE / (1 - STEADY_SHARE);
        while (count <= MAX_SUGGESTED) {
            int rounded = 100 * (int) Math.ceil(count / 100);
            RequestTable drawn = redraw.requests(rounded);
            double rate = drawn.size() / seconds(drawn);
            if (drawn.size() < rounded) {
                return ""; // the workload ends earlier
            }
            if (rate >= STEADY_SHARE * qps) {
                return "set requests=" + rounded + " for a mean rate of " + Numbers.significant(rate, DIGITS) + ", or ";
            }
            count *= GROWTH;
        }
        return "";
    }
}
