package dev.stagesim.feature.fabric.performance;

import dev.stagesim.sim.capacity.ReplicaRun.Service;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.Interval;
import java.util.List;
import java.util.Optional;

/**
 * Service of one copy as a run measured it, on the accelerator and with the parallelism that it ran with; what that run
 * cannot say is simulated.
 *
 * <p>Its rate of requests is taken for what a copy carries: a run below capacity says too little, never too much.
 */
public final class MeasuredService implements ServiceModel {
    private static final int RESAMPLES = 400;
    private static final double LEVEL = 0.68;
    private static final long SEED = 42;

    private final RequestLatencies run;
    private final RunMetadata facts;
    private final String hardware;
    private final String link;
    private final ServiceModel otherwise;
    private final double sigma;

    /**
     * @param hardware accelerator that the run was measured on, where it does not say
     */
    public MeasuredService(
            RequestLatencies run, RunMetadata facts, String hardware, String link, ServiceModel otherwise) {
        this.run = run;
        this.facts = facts;
        this.hardware = facts.hardware().orElse(hardware);
        double[] ttftMs = run.ttftMs();
        this.link = link;
        this.otherwise = otherwise;
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
    public Optional<String> infeasibility(TargetPlacement deployment, int sequenceTokens) {
        return isMeasured(deployment) ? Optional.empty() : otherwise.infeasibility(deployment, sequenceTokens);
    }

    @Override
    public double capacity(TargetPlacement deployment, int prompt, int generate) {
        return isMeasured(deployment)
                ? run.outputTokensPerSecond() / facts.copies() / generate
                : otherwise.capacity(deployment, prompt, generate);
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
                : otherwise.service(deployment, load);
    }

    @Override
    public double sigma(TargetPlacement deployment) {
        return isMeasured(deployment) ? sigma : otherwise.sigma(deployment);
    }

    @Override
    public String capacityRun(TargetPlacement deployment, int prompt, int generate) {
        return isMeasured(deployment) ? link : otherwise.capacityRun(deployment, prompt, generate);
    }

    @Override
    public String serviceRun(TargetPlacement deployment, Load load) {
        return isMeasured(deployment) ? link : otherwise.serviceRun(deployment, load);
    }
}
