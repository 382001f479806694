package dev.stagesim.stage.fabric;

import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.ModelCard;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.SemiEmpirical;
import java.util.Map;
import java.util.Optional;

/** Steps by the closed-form model, times a factor for each target where simulated steps gave one. */
final class ClosedSteps implements StepModel {
    private final CatalogEntry entry;
    private final ModelCard model;
    private final Optional<Fit> fit;
    private final double sigma;
    private final Map<String, Double> factors;

    /**
     * Builds the model.
     *
     * @param sigma relative standard deviation of throughput where nothing was fitted
     * @param factors what steps of a target are multiplied by, 1 where it is not named
     */
    ClosedSteps(CatalogEntry entry, ModelCard model, Optional<Fit> fit, double sigma, Map<String, Double> factors) {
        this.entry = entry;
        this.model = model;
        this.fit = fit;
        this.sigma = sigma;
        this.factors = Map.copyOf(factors);
    }

    @Override
    public Optional<String> misfit(Deployment deployment, int copies, int microbatch) {
        return Optional.empty();
    }

    @Override
    public Step step(Deployment deployment, int copies, int microbatch) {
        CapacityFigures figures = figures(deployment, copies, microbatch);
        double factor = factors.getOrDefault(deployment.id(), 1.0);
        return new Step(figures.stepMs() * factor, figures.flopUtilization() / factor, "");
    }

    private CapacityFigures figures(Deployment deployment, int copies, int microbatch) {
        AcceleratorCoefficients own = Coefficients.of(deployment.target(), model, false);
        AcceleratorCoefficients card = fit.map(f -> f.applied(own)).orElse(own);
        CatalogEntry.Tuning tuning = entry.tuning();
        CapacityKnobs knobs = new CapacityKnobs(
                microbatch,
                tuning.cudaGraphs(),
                tuning.gpuDirect(),
                tuning.sriov(),
                card.communication().fabricFactors().getOrDefault(tuning.fabric(), 1.0));
        CapacityJob job = new CapacityJob(
                false,
                entry.phases().get(0).prompt(),
                0,
                false,
                deployment.tp(),
                deployment.pp(),
                copies,
                model.hiddenSize(),
                model.numLayers());
        CapacityNode node = new CapacityNode(
                copies * deployment.devices(), deployment.target().device().memGb(), 0);
        return SemiEmpirical.steady(card, node, job, knobs);
    }

    @Override
    public double sigma() {
        return fit.map(Fit::sigma).orElse(sigma);
    }
}
