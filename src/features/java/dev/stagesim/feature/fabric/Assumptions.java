package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.SpreadSettings;
import dev.stagesim.settings.TargetSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What figures rest on, in sentences, with sources. */
final class Assumptions {
    private static final double PERCENT = 100;

    private Assumptions() {}

    static List<String> of(FabricStageSettings settings, CatalogEntry entry, Optional<CoefficientFit> fit) {
        List<String> all = new ArrayList<>();
        TargetSettings target = settings.target();
        all.add("Ranges hold " + Numbers.fixed(PERCENT * settings.uncertainty().level(), 0) + " % of "
                + settings.uncertainty().draws()
                + " draws of throughput, power, price and carbon intensity, independent of each other"
                + " (Monte Carlo; log-normal, log-normal, triangular, triangular).");
        all.add(throughput(settings, entry, fit));
        all.add("Price of a node of " + target.name() + ": "
                + (target.cost().hourlyUsd().isPresent()
                        ? "as configured"
                        : target.acceleratorsPerNode() + " times the accelerator's typical rent; source: "
                                + target.device().priceBasis().orElse("none stated"))
                + ".");
        all.add("Power of a node: " + Numbers.count(Math.round(new NodeCosts(target, settings.grid()).watts()))
                + " W under full load, "
                + Numbers.fixed(PERCENT * target.power().idleFraction(), 0)
                + " % of it when idle, times " + Numbers.plain(target.power().pue()) + " for the data centre"
                + target.source().map(source -> "; source: " + source).orElse("") + ".");
        all.add("Electricity: " + settings.grid().name() + ", "
                + Numbers.plain(settings.grid().gco2PerKwh())
                + " g CO2 per kWh (" + Numbers.plain(settings.grid().gco2PerKwhLow()) + " to "
                + Numbers.plain(settings.grid().gco2PerKwhHigh()) + "); source: "
                + settings.grid().source() + ".");
        all.add(
                entry.isServed()
                        ? "A million tokens are output tokens; their prompts are part of the work and the price."
                        : "A million tokens are tokens trained on.");
        return all;
    }

    private static String throughput(FabricStageSettings settings, CatalogEntry entry, Optional<CoefficientFit> fit) {
        if (fit.isPresent()) {
            return "Throughput follows from the " + fit.get().runs()
                    + " runs that the closed form is fitted to; each of them, left out of the fit, is missed by "
                    + Numbers.fixed(PERCENT * fit.get().heldOutError(), 1) + " % on average.";
        }
        if (!entry.isServed() && settings.source() == Source.SIMULATED) {
            return "The time of a step is simulated, collective by collective, on each target's links, with computations at "
                    + Numbers.fixed(PERCENT * settings.train().efficiency(), 0)
                    + " % of the accelerator's greatest 16-bit rate; "
                    + off(settings.uncertainty().simulated())
                    + (settings.optimize()
                            ? " Candidates that lost follow the closed-form model, scaled to each target's simulated step;"
                                    + " all of the front are simulated."
                            : "");
        }
        SpreadSettings off = settings.uncertainty();
        return switch (settings.source()) {
            case SEMI_EMPIRICAL ->
                "Throughput follows from the closed-form model with the target's coefficients, not calibrated; "
                        + off(off.semiEmpirical());
            case SIMULATED ->
                "Throughput and latency are simulated request by request with roofline operator times; "
                        + off(off.simulated());
            case MEASURED ->
                "Throughput and latency are those of the measured run on the accelerator and parallelism that it ran with,"
                        + " as sure as a bootstrap of its requests says; other targets are simulated with roofline operator"
                        + " times, without what the measured host adds; "
                        + off(off.simulated());
        };
    }

    private static String off(double sigma) {
        return "taken to be off by " + Numbers.fixed(PERCENT * sigma, 0) + " % (one standard deviation).";
    }
}
