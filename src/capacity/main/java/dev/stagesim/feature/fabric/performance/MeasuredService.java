package dev.stagesim.feature.fabric.performance;

import dev.stagesim.sim.capacity.ReplicaRun.Service;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.Interval;
import java.util.List;
import java.util.Optional;

/**
 * Service of one copy from a measured run, for the accelerator and parallelism of that run; all other deployments are
 * simulated.
 *
 * <p>The request rate of the run is taken as the capacity of a copy. A run below capacity underestimates it.
 */
public final class MeasuredService implements ServiceModel {
    private static final int RESAMPLES = 400;
    private static final double LEVEL = 0.68;
    private static final long SEED = 42;

    private final RequestLatencies run;
    private final RunMetadata facts;
    private final String hardware;
    private final String link;
    private final ServiceModel fallback;
    private final double sigma;

    /** @param hardware accelerator of the run if its metadata does not name one */
    public MeasuredService(
            RequestLatencies run, RunMetadata facts, String hardware, String link, ServiceModel fallback) {
        this.run = run;
        this.facts = facts;
        this.hardware = facts.hardware().orElse(hardware);
        double[] ttftMs = run.ttftMs();
        this.link = link;
        this.fallback = fallback;
        Interval mean = new Bootstrap(RESAMPLES, LEVEL, SEED)
                .paired(ttftMs, ttftMs, List.of(Bootstrap.Statistic.MEAN))
                .get(0)
                .a();
        this.sigma = (mean.high() - mean.low()) / (mean.high() + mean.low());
    }

    private boolean isMeasured(TargetPlacement deployment) {
        return deployment.target().device().name().equals(hardware)
                && deployment.tp() == facts.tp()
                && deployment.pp() == facts.pp();
    }

    @Override
    public Optional<String> whyInfeasible(TargetPlacement deployment, int sequenceTokens) {
        return isMeasured(deployment) ? Optional.empty() : fallback.whyInfeasible(deployment, sequenceTokens);
    }

    @Override
    public double capacity(TargetPlacement deployment, int prompt, int generate) {
        return isMeasured(deployment)
                ? run.outputTokensPerSecond() / facts.copies() / generate
                : fallback.capacity(deployment, prompt, generate);
    }

    @Override
    public Service service(TargetPlacement deployment, Load load) {
        return isMeasured(deployment)
                ? new Service(
                        true,
                        run.requestsPerSecond() / facts.copies(),
                        run.ttftMs(0.5),
                        run.ttftMs(0.99),
                        run.tpotMs(0.5),
                        run.tpotMs(0.99),
                        0)
                : fallback.service(deployment, load);
    }

    @Override
    public double sigma(TargetPlacement deployment) {
        return isMeasured(deployment) ? sigma : fallback.sigma(deployment);
    }

    @Override
    public String capacityRun(TargetPlacement deployment, int prompt, int generate) {
        return isMeasured(deployment) ? link : fallback.capacityRun(deployment, prompt, generate);
    }

    @Override
    public String serviceRun(TargetPlacement deployment, Load load) {
        return isMeasured(deployment) ? link : fallback.serviceRun(deployment, load);
    }
}
