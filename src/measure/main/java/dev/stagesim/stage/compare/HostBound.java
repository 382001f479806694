package dev.stagesim.stage.compare;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.comparison.Metric;
import dev.stagesim.model.PathPart;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stage.compare.Finding.Kind;
import dev.stagesim.stats.Moments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Detects runs in which the host limits the step time: either the simulation predicts it, or measured steps are steady and
 * much longer than simulated ones.
 */
final class HostBound {
    private static final double FAR_ABOVE = 1.5;
    private static final String SIMULATED = "vidur_sim";

    private HostBound() {}

    /** The simulated host takes longer than the device, and simulated times per token match the measured ones. */
    static Optional<Finding> simulated(Diagnosis d) {
        Optional<MetricResult> tpot = d.metric(Metric.TPOT);
        double host = d.sim().number(Figure.DECODE_HOST_US).orElse(0.0) * NS_PER_US;
        double step = d.sim().number(Figure.DECODE_STEP_US).orElse(0.0) * NS_PER_US;
        if (tpot.isEmpty() || host <= step - host) {
            return Optional.empty();
        }
        double measured = tpot.get().row("p50").real();
        double percent = tpot.get().row("p50").percent();
        TimeScale ms = TimeScale.fit(step);
        List<String> evidence = new ArrayList<>();
        evidence.add("Of a decode step of " + ms.withUnit(step) + " the device works " + ms.withUnit(step - host)
                + "; for the remaining " + ms.withUnit(host) + ", " + Numbers.share(100 * host / step, 0)
                + ", it waits for the host, which launches operators and prepares the step (step_parts.csv of the "
                + d.sim().label() + " run).");
        evidence.add("Nothing of it was fitted to the " + d.real().label() + " run, which takes "
                + ms.withUnit(measured) + " per token (TPOT P50): the simulation is off by "
                + Numbers.percent(percent)
                + ".");
        evidence.add("Without the host a token would take " + ms.withUnit(step - host) + ", "
                + Numbers.times(step / (step - host)) + " less.");
        published(d.real(), ms).ifPresent(evidence::add);
        return Optional.of(new Finding(
                "host_bound",
                Kind.LIKELY,
                "The run is host-bound: the CPU that launches each step sets the pace, not the GPU",
                evidence,
                "Look at the host first: captured graphs (engine=vllm_v1), fewer operators, a faster CPU"
                        + " (hardware.host_class), or larger batches, which cost the host little more."));
    }

    /** With one request at a time, steps have a constant time that is far above the device time. */
    static Optional<Finding> measured(Diagnosis d) {
        Optional<MetricResult> tpot = d.metric(Metric.TPOT);
        if (tpot.isEmpty() || tpot.get().real().length < 3 || d.realLoad().maxInFlight() != 1) {
            return Optional.empty();
        }
        Moments spread = Moments.of(tpot.get().real());
        double measured = tpot.get().row("p50").real();
        double simulated = tpot.get().row("p50").sim();
        if (spread.cv() > Diagnosis.STEADY_CV || measured < FAR_ABOVE * simulated) {
            return Optional.empty();
        }
        TimeScale ms = TimeScale.fit(measured);
        List<String> evidence = new ArrayList<>();
        evidence.add("One request is in flight at a time (batch size 1), so neither queueing nor batching explains the"
                + " gap.");
        evidence.add("A token takes " + ms.withUnit(measured) + " (TPOT P50), simulated " + ms.withUnit(simulated)
                + ": " + Numbers.times(measured / simulated) + " as long; " + ms.withUnit(measured - simulated)
                + " of each step is time for which the simulation finds no work on the device.");
        evidence.add("TPOT is nearly constant over " + spread.n() + " requests: " + ms.withUnit(spread.min()) + " to "
                + ms.withUnit(spread.max()) + ", coefficient of variation "
                + Numbers.share(100 * spread.cv(), 1) + ".");
        d.real()
                .number(Figure.WEIGHT_READ_FLOOR_NS)
                .filter(floor -> floor > 0)
                .ifPresent(floor -> evidence.add("Reading the active weights once from device memory at its peak rate"
                        + " takes " + ms.withUnit(floor) + "; a measured step takes "
                        + Numbers.times(measured / floor) + " that."));
        d.metric(Metric.TTFT).map(m -> firstToken(m.row("p50"), ms)).ifPresent(evidence::add);
        published(d.real(), ms).ifPresent(evidence::add);
        return Optional.of(new Finding(
                "host_bound",
                Kind.LIKELY,
                "The " + d.real().label()
                        + " run is host-bound: the CPU that launches each step sets the pace, not the GPU",
                evidence,
                advice(d.sim(), measured - simulated)));
    }

    private static String firstToken(MetricResult.Row ttft, TimeScale ms) {
        return "The first token is late by a similar amount: " + ms.signed(ttft.real() - ttft.sim()) + " "
                + ms.unit()
                + " (TTFT P50 " + ms.withUnit(ttft.real()) + ", simulated " + ms.withUnit(ttft.sim())
                + "): a cost per step, not per token of work.";
    }

    /** The host time applies to each pipeline stage of a step. */
    private static String advice(ComparedRun sim, double lackingNs) {
        String again = "measure again with CUDA graphs so that the device sets the pace.";
        if (!sim.runType().equals(SIMULATED)) {
            return "Give the candidate the host's time per step, or " + again;
        }
        double stages = sim.number(Figure.PIPELINE_STAGES).orElse(1.0);
        long microseconds = Math.round(lackingNs / stages / NS_PER_US);
        String time = "profile.host.kind=linear profile.host.schedule.base_us=" + microseconds;
        return "Give the simulation the host's time per step, the part that it lacks: " + command(sim) + " " + time
                + " (add the options of this run and its existing host times; an imported"
                + " bundle needs host times in the bundle), or "
                + again;
    }

    private static String command(ComparedRun sim) {
        return "./stage compare" + option("model", sim.model()) + option("hardware", sim.hardware());
    }

    /**
     * Returns the override that selects a card: its name in lower case, with underscores for all other characters than
     * letters and digits.
     */
    private static String option(String group, Optional<String> card) {
        return card.map(name -> " " + group + "=" + PathPart.slug(name)).orElse("");
    }

    private static Optional<String> published(ComparedRun real, TimeScale ms) {
        Optional<Double> gap = real.number(Figure.VIDUR_TOKEN_GAP_NS);
        Optional<Double> ttft = real.number(Figure.VIDUR_TTFT_NS);
        return gap.isEmpty() || ttft.isEmpty()
                ? Optional.empty()
                : Optional.of("The recording's authors simulated these requests with Vidur, host time left out as well,"
                        + " and got TTFT P50 " + ms.withUnit(ttft.get()) + " and token gap P50 "
                        + ms.withUnit(gap.get()) + ".");
    }
}
