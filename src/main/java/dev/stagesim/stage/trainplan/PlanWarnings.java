package dev.stagesim.stage.trainplan;

import dev.stagesim.report.Numbers;
import dev.stagesim.sim.training.FlopsDefinition;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import java.util.ArrayList;
import java.util.List;

/** What a reader of a plan must not miss. */
record PlanWarnings(Plan plan) {
    /** From which the closed form, by which strategies are ranked, is not trusted. */
    private static final double FAR = 0.05;

    List<String> list() {
        List<String> warnings = new ArrayList<>();
        unmodelled(warnings);
        Candidate winner = plan.winner();
        boolean isDense = !plan.question().model().isMixture();
        if (isDense && winner.strategy().recompute() == Recompute.POINTWISE) {
            warnings.add(
                    "no framework computes activation functions of dense layers again as the winner does: best/limits.md;"
                            + " search.recompute=[none,modules,half,full] plans with what they can do");
        }
        if (plan.utilisation(winner, FlopsDefinition.CAUSAL) > 100) {
            warnings.add("the plan is faster than the device's peak; check the hardware card");
        }
        double closed = winner.step().step();
        if (simulatedStep() > (1 + FAR) * closed) {
            warnings.add("the winner takes " + Numbers.significant(simulatedStep(), 4)
                    + " s where its pipeline and network are simulated, and " + Numbers.significant(closed, 4)
                    + " s in closed form, whose parts the tables show");
        }
        plan.calibration()
                .filter(fit -> fit.bound() > 0)
                .ifPresent(fit -> warnings.add("the factor fitted to "
                        + plan.settings().measured().get()
                        + " is held at its bound " + Numbers.fixed(fit.bound(), 3)
                        + ": the measured steps are slower or faster than the device can be; check their units and"
                        + " the strategy, batch and sequence of each"));
        return warnings;
    }

    private void unmodelled(List<String> warnings) {
        if (plan.settings().model().slidingWindow().isPresent()) {
            warnings.add("windows of attention are not modelled; every layer attends to the whole sequence");
        }
        if (plan.settings().model().stateLayers().orElse(0) > 0) {
            warnings.add("layers with a state (Mamba, linear attention) are not modelled; every layer has attention");
        }
    }

    /** The winner's step on its timeline or the network, whichever is longer. */
    private double simulatedStep() {
        double timeline = plan.finalists().get(0).step();
        return plan.network(plan.winner())
                .map(n -> Math.max(timeline, n.step()))
                .orElse(timeline);
    }
}
