package dev.stagesim.feature.fabric.performance;

import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.QueueProfile;
import dev.stagesim.sim.capacity.Queueing;
import dev.stagesim.sim.capacity.ReplicaRun.Service;
import dev.stagesim.sim.capacity.SemiEmpirical;
import java.util.Optional;

/**
 * Service of the closed-form model. Rates come from coefficients; waiting comes from a queue with one server per batch
 * slot.
 */
public record SemiEmpiricalService(
        ModelCard model, CatalogEntry.Tuning tuning, Optional<CoefficientFit> fit, double sigma, double memoryMargin)
        implements ServiceModel {
    private static final double GIB_BYTES = 1024.0 * 1024 * 1024;
    private static final double VALUE_BYTES = 2;

    @Override
    public Optional<String> whyInfeasible(TargetPlacement deployment, int sequenceTokens) {
        double weights = VALUE_BYTES * model.size().parameters() / deployment.devices();
        double cache = (double) model.size().kvBytesPerToken() * sequenceTokens / deployment.devices();
        double room = deployment.target().device().memory().memGb() * GIB_BYTES * (1 - memoryMargin);
        return weights + cache <= room
                ? Optional.empty()
                : Optional.of(String.format(
                        java.util.Locale.ROOT,
                        "not enough memory: weights %.1f GiB of %.1f GiB",
                        weights / GIB_BYTES,
                        room / GIB_BYTES));
    }

    @Override
    public double capacity(TargetPlacement deployment, int prompt, int generate) {
        return metrics(deployment, prompt, generate).tokensPerSecond() / generate;
    }

    private CapacityFigures metrics(TargetPlacement deployment, int prompt, int generate) {
        AcceleratorCoefficients card = fit.map(f -> f.applied(TargetCoefficients.of(deployment.target(), model, true)))
                .orElseGet(() -> TargetCoefficients.of(deployment.target(), model, true));
        // Coefficients refer to all tokens, fitted rates to output tokens.
        CapacityJob job = new CapacityJob(
                true,
                prompt,
                generate,
                fit.isEmpty(),
                deployment.tp(),
                deployment.pp(),
                1,
                model.shape().hiddenSize(),
                model.shape().numLayers());
        CapacityNode node = new CapacityNode(
                deployment.devices(), deployment.target().device().memory().memGb(), 0);
        return SemiEmpirical.steady(card, node, job, knobs(card));
    }

    private CapacityKnobs knobs(AcceleratorCoefficients card) {
        return new CapacityKnobs(
                tuning.microbatch(),
                tuning.cudaGraphs(),
                tuning.gpuDirect(),
                tuning.sriov(),
                card.card().communication().fabricFactors().getOrDefault(tuning.fabric(), 1.0));
    }

    @Override
    public Service service(TargetPlacement deployment, Load load) {
        CapacityFigures served = metrics(deployment, load.prompt(), load.generate());
        // The queue counts prompt and output tokens; the rate counts output tokens.
        double all = served.tokensPerSecond() * (load.prompt() + load.generate()) / load.generate();
        CapacityFigures whole = new CapacityFigures(
                all,
                served.flopUtilization(),
                served.memoryUtilization(),
                served.commComputeRatio(),
                0,
                served.p50Ms(),
                served.p95Ms(),
                served.p99Ms(),
                served.ttftMs(),
                served.peakMemoryGb(),
                served.nodeWatts(),
                served.retries());
        Optional<Queueing.Waiting> waiting = Queueing.of(
                new Queueing.Demand(
                        (long) load.prompt() + load.generate(),
                        load.rate(),
                        QueueProfile.STEADY_STATE,
                        1,
                        load.variation() / Math.sqrt(load.copies()),
                        1.0 / Math.sqrt(deployment.scheduler().batchSizeCap())),
                whole);
        double p50 = waiting.map(times -> times.waits().p50Ms()).orElse(0.0);
        double p99 = waiting.map(times -> times.waits().p99Ms()).orElse(0.0);
        double prefill = 1e3 * load.prompt() / all;
        return new Service(
                true,
                load.rate(),
                prefill + served.ttftMs() + p50,
                (prefill + served.ttftMs()) * served.p99Ms() / served.p50Ms() + p99,
                served.p50Ms(),
                served.p99Ms(),
                prefill + served.p99Ms() * load.generate() + p99);
    }

    @Override
    public double sigma(TargetPlacement deployment) {
        return fit.map(CoefficientFit::sigma).orElse(sigma);
    }

    @Override
    public String capacityRun(TargetPlacement deployment, int prompt, int generate) {
        return "";
    }

    @Override
    public String serviceRun(TargetPlacement deployment, Load load) {
        return "";
    }
}
