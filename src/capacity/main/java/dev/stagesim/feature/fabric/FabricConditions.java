package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Describes the conditions for which the metrics of a target are valid: source, load, sizes and seeds. */
final class FabricConditions {
    private FabricConditions() {}

    static RunConditions of(FabricStageSettings settings, FabricResult result) {
        CatalogEntry entry = result.entry();
        TargetPlacement requested = result.requested().deployment();
        String source = "source " + KeyNames.constant(settings.machines().source())
                + (result.fit().isPresent() ? ", fitted to measured runs" : "");
        return new RunConditions(
                ConditionText.model(settings.model(), requested.target().device()),
                requested.target().name() + ", nodes of "
                        + ConditionText.devices(
                                requested.target().acceleratorsPerNode(),
                                requested.target().device()),
                entry.isServed() ? source + ", " + requested.policy() : source,
                "tensor parallel " + requested.tp() + ", " + requested.pp()
                        + (requested.pp() == 1 ? " pipeline stage" : " pipeline stages"),
                entry.name() + ": "
                        + entry.phases().stream()
                                .map(FabricConditions::lengths)
                                .distinct()
                                .collect(Collectors.joining(", "))
                        + simulated(settings, entry)
                                .map(made ->
                                        ", " + Numbers.count(made.sampling().requestsPerPhase())
                                                + " simulated requests per phase")
                                .orElse(""),
                entry.phases().stream().map(FabricConditions::load).distinct().collect(Collectors.joining(", ")),
                simulated(settings, entry)
                                .map(made -> "seed " + made.drawSeed() + " of requests, ")
                                .orElse("")
                        + "seed " + settings.operation().uncertainty().seed() + " of "
                        + Numbers.count(settings.operation().uncertainty().draws()) + " draws of the ranges",
                Numbers.count(settings.model().maxPosition()) + " tokens (model)",
                List.of(),
                extrapolated(settings, entry),
                unmodelled(settings, entry));
    }

    /** Returns the workload if its requests are drawn and simulated. */
    private static Optional<CatalogWorkload> simulated(FabricStageSettings settings, CatalogEntry entry) {
        return settings.machines().source() == Source.SIMULATED
                        && entry.isServed()
                        && settings.workload() instanceof CatalogWorkload made
                        && made.dir().isEmpty()
                ? Optional.of(made)
                : Optional.empty();
    }

    private static String lengths(CatalogEntry.Phase phase) {
        return phase.generate() == 0
                ? "sequences of " + Numbers.count(phase.prompt()) + " tokens"
                : "prompt " + Numbers.count(phase.prompt()) + " and output " + Numbers.count(phase.generate())
                        + " tokens";
    }

    private static String load(CatalogEntry.Phase phase) {
        return phase.generate() == 0
                ? ""
                : phase.rate()
                                .map(rate -> Numbers.significant(rate, 4) + " requests/s")
                                .orElse("share of the capacity, profile " + KeyNames.constant(phase.profile()))
                        + (phase.arrivalVariation() == 1
                                ? ", Poisson arrivals"
                                : ", inter-arrival times of a gamma distribution with coefficient of variation "
                                        + Numbers.significant(phase.arrivalVariation(), 3));
    }

    private static List<String> extrapolated(FabricStageSettings settings, CatalogEntry entry) {
        int max = entry.phases().stream()
                .mapToInt(phase -> phase.prompt() + phase.generate())
                .max()
                .orElse(0);
        return max <= settings.model().maxPosition()
                ? List.of()
                : List.of("sequences of " + Numbers.count(max) + " tokens beyond the model's context of "
                        + Numbers.count(settings.model().maxPosition()));
    }

    private static List<String> unmodelled(FabricStageSettings settings, CatalogEntry entry) {
        List<String> effects = new ArrayList<>(ModelFeature.unmodelled(
                settings.model(),
                UnsupportedInputs.modelled(entry, settings.machines().source())));
        effects.addAll(UnsupportedInputs.in(entry, settings.machines().source() == Source.SEMI_EMPIRICAL));
        return effects;
    }
}
