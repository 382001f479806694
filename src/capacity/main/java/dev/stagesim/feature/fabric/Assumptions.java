package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.SpreadSettings;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Describes the assumptions of a plan and their sources. */
final class Assumptions {
    private static final double PERCENT = 100;

    private Assumptions() {}

    static List<String> of(FabricStageSettings settings, CatalogEntry entry, Optional<CoefficientFit> fit) {
        List<String> all = new ArrayList<>();
        TargetSettings target = settings.machines().target();
        all.add("Ranges contain "
                + Numbers.fixed(PERCENT * settings.operation().uncertainty().level(), 0) + " % of "
                + settings.operation().uncertainty().draws()
                + " draws of throughput, power, price and carbon intensity, independent of each other"
                + " (Monte Carlo; log-normal, log-normal, triangular, triangular).");
        all.add(throughput(settings, entry, fit));
        all.add("Price of a node of " + target.name() + ": "
                + (target.cost().hourlyUsd().isPresent()
                        ? "as configured"
                        : target.acceleratorsPerNode() + " times the typical rental price of the accelerator; source: "
                                + target.device().costs().priceBasis().orElse("not stated"))
                + ".");
        all.add("Power of a node: "
                + Numbers.count(
                        Math.round(new NodeCosts(target, settings.operation().grid()).watts()))
                + " W under full load, "
                + Numbers.fixed(PERCENT * target.power().idleFraction(), 0)
                + " % of it when idle, times " + Numbers.plain(target.power().pue()) + " for the data centre"
                + target.source().map(source -> "; source: " + source).orElse("") + ".");
        all.add("Electricity: " + settings.operation().grid().name() + ", "
                + Numbers.plain(settings.operation().grid().gco2PerKwh())
                + " g CO2 per kWh (" + Numbers.plain(settings.operation().grid().gco2PerKwhLow()) + " to "
                + Numbers.plain(settings.operation().grid().gco2PerKwhHigh()) + "); source: "
                + settings.operation().grid().source() + ".");
        all.add(
                entry.isServed()
                        ? "The price per million tokens counts output tokens; it includes the work of their prompts."
                        : "The price per million tokens counts training tokens.");
        return all;
    }

    private static String throughput(FabricStageSettings settings, CatalogEntry entry, Optional<CoefficientFit> fit) {
        if (fit.isPresent()) {
            return "Throughput follows from the closed form, fitted to "
                    + fit.get().runs()
                    + " runs; the mean error on a run that is left out of the fit is "
                    + Numbers.fixed(PERCENT * fit.get().heldOutError(), 1) + " %.";
        }
        if (!entry.isServed() && settings.machines().source() == Source.SIMULATED) {
            return "The time of a step is simulated, collective by collective, on each target's links, with computations at "
                    + Numbers.fixed(PERCENT * settings.runs().train().efficiency(), 0)
                    + " % of the accelerator's maximum 16-bit rate; "
                    + off(settings.operation().uncertainty().simulated())
                    + (settings.optimizer().optimize()
                            ? " Dominated candidates use the closed form, scaled to the simulated step of their target;"
                                    + " all candidates on the front are simulated."
                            : "");
        }
        SpreadSettings off = settings.operation().uncertainty();
        return switch (settings.machines().source()) {
            case SEMI_EMPIRICAL ->
                "Throughput follows from the closed-form model with the target's coefficients, not calibrated; "
                        + off(off.semiEmpirical());
            case SIMULATED ->
                "Throughput and latency are simulated request by request with roofline operator times; "
                        + off(off.simulated());
            case MEASURED ->
                "On the accelerator and parallelism of the measured run, throughput and latency are measured, with ranges from a"
                        + " bootstrap of its requests. Other targets are simulated with roofline operator times, without the overhead of"
                        + " the measured host; " + off(off.simulated());
        };
    }

    private static String off(double sigma) {
        return "the assumed error is " + Numbers.fixed(PERCENT * sigma, 0) + " % (one standard deviation).";
    }
}
