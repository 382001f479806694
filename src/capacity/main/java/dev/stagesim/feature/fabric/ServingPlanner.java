package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.AutoscaleSettings;
import dev.stagesim.capacity.GridSettings;
import dev.stagesim.capacity.SpreadSettings;
import dev.stagesim.feature.fabric.performance.ServiceModel;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.sim.capacity.ReplicaRun.Service;
import dev.stagesim.sim.capacity.ScheduleCost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Plans a served workload on a deployment: nodes, cost and latency of each phase. */
final class ServingPlanner {
    private static final double PERCENT = 100;
    private static final double SECONDS_PER_HOUR = 3600;

    private final CatalogEntry entry;
    private final double[] rates;
    private final ServiceModel model;
    private final AutoscaleSettings autoscale;
    private final GridSettings grid;
    private final SpreadSettings spread;

    /** @param rates requests per second of each phase */
    ServingPlanner(
            CatalogEntry entry,
            double[] rates,
            ServiceModel model,
            AutoscaleSettings autoscale,
            GridSettings grid,
            SpreadSettings spread) {
        this.entry = entry;
        this.rates = rates.clone();
        this.model = model;
        this.autoscale = autoscale;
        this.grid = grid;
        this.spread = spread;
    }

    /**
     * Returns the requests per second of each phase: the stated rate, or the share of the profile in the capacity of
     * the stated copies.
     */
    static double[] rates(CatalogEntry entry, ServiceModel model, TargetPlacement stated) {
        return entry.phases().stream()
                .mapToDouble(phase -> phase.rate()
                        .orElseGet(() -> phase.profile().load()
                                * phase.copies()
                                * model.capacity(stated, phase.prompt(), phase.generate())))
                .toArray();
    }

    /** Plans enough nodes for a target utilisation. */
    FabricPlan plan(TargetPlacement deployment, double load) {
        Optional<String> why = refusal(deployment);
        if (why.isPresent()) {
            return FabricPlan.refused(deployment, load, 0, why.get());
        }
        double[] capacities = new double[rates.length];
        for (int i = 0; i < rates.length; i++) {
            CatalogEntry.Phase phase = entry.phases().get(i);
            capacities[i] = phase.tokensScale() * model.capacity(deployment, phase.prompt(), phase.generate());
            if (capacities[i] <= 0) {
                return FabricPlan.refused(deployment, load, 0, "cannot serve phase " + phase.name());
            }
        }
        NodeCosts nodeCosts = new NodeCosts(deployment.target(), grid);
        ScheduleCost.Total total = ScheduleCost.of(
                demands(capacities, 1), nodeCosts.node(deployment.copiesPerNode()), scaling(deployment, load));
        return plan(deployment, load, total, phases(deployment, total));
    }

    private static FabricPlan plan(
            TargetPlacement deployment, double load, ScheduleCost.Total total, List<FabricPlan.Phase> phases) {
        return new FabricPlan(
                deployment, load, 0, Optional.empty(), Optional.of(total), phases, metrics(total, phases));
    }

    private Optional<String> refusal(TargetPlacement deployment) {
        if (!NodeCosts.hasPrice(deployment.target())) {
            return Optional.of("its price is unknown");
        }
        return model.whyInfeasible(
                deployment,
                entry.phases().stream()
                        .mapToInt(phase -> phase.prompt() + phase.generate())
                        .max()
                        .orElse(0));
    }

    private ScheduleCost.Scaling scaling(TargetPlacement deployment, double load) {
        int group = deployment.nodesPerCopy();
        int min = (autoscale.minNodes() + group - 1) / group * group;
        return new ScheduleCost.Scaling(load, min, Math.max(min, autoscale.maxNodes()), group, autoscale.enabled());
    }

    /** Returns the demand in fully utilised copies, with their output tokens. */
    private List<ScheduleCost.Demand> demands(double[] capacities, double throughput) {
        List<ScheduleCost.Demand> demands = new ArrayList<>();
        for (int i = 0; i < capacities.length; i++) {
            CatalogEntry.Phase phase = entry.phases().get(i);
            double capacity = capacities[i] * throughput;
            demands.add(new ScheduleCost.Demand(phase.minutes(), rates[i] / capacity, capacity * phase.generate()));
        }
        return demands;
    }

    private List<FabricPlan.Phase> phases(TargetPlacement deployment, ScheduleCost.Total total) {
        List<FabricPlan.Phase> phases = new ArrayList<>();
        for (int i = 0; i < rates.length; i++) {
            CatalogEntry.Phase phase = entry.phases().get(i);
            int copies = deployment.copies(total.phases().get(i).nodes());
            ServiceModel.Load load = new ServiceModel.Load(
                    rates[i] / copies, phase.arrivalVariation(), copies, phase.prompt(), phase.generate());
            Service service = model.service(deployment, load);
            phases.add(new FabricPlan.Phase(
                    phase.name(),
                    phase.minutes(),
                    rates[i],
                    copies,
                    service.p50TtftMs(),
                    service.p99TtftMs(),
                    service.p50TpotMs(),
                    service.p99TpotMs(),
                    model.capacityRun(deployment, phase.prompt(), phase.generate()),
                    model.serviceRun(deployment, load)));
        }
        return phases;
    }

    private static Map<String, Double> metrics(ScheduleCost.Total total, List<FabricPlan.Phase> phases) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put(FabricPlan.USD_TOTAL, total.usd());
        metrics.put(FabricPlan.USD_PER_MTOK, total.usdPerMillionTokens());
        metrics.put(FabricPlan.TTFT, max(phases, true));
        metrics.put(FabricPlan.TPOT, max(phases, false));
        metrics.put(FabricPlan.TOKENS, total.tokens() / (total.hours() * SECONDS_PER_HOUR));
        metrics.put(FabricPlan.POWER, total.meanKilowatts());
        metrics.put(FabricPlan.ENERGY, total.kwh());
        metrics.put(FabricPlan.CARBON, total.kg());
        metrics.put(FabricPlan.NODES, (double) total.mostNodes());
        metrics.put(FabricPlan.UTILIZATION, PERCENT * total.nodeHoursUtilization());
        return metrics;
    }

    /** Returns the maximum over all phases. */
    private static double max(List<FabricPlan.Phase> phases, boolean first) {
        return phases.stream()
                .mapToDouble(phase -> first ? phase.p99TtftMs() : phase.p99TpotMs())
                .max()
                .orElse(0);
    }

    /** Adds ranges; nodes, cost, energy and carbon are recomputed for every draw. */
    FabricPlan withRanges(FabricPlan plan) {
        if (plan.refusal().isPresent()) {
            return plan;
        }
        TargetPlacement deployment = plan.deployment();
        NodeCosts nodeCosts = new NodeCosts(deployment.target(), grid);
        double[] capacities = entry.phases().stream()
                .mapToDouble(
                        phase -> phase.tokensScale() * model.capacity(deployment, phase.prompt(), phase.generate()))
                .toArray();
        return new PlanRanges(spread, model.sigma(deployment)).of(plan, nodeCosts, draw -> {
            ScheduleCost.Total total = ScheduleCost.of(
                    demands(capacities, draw.throughput()),
                    nodeCosts.node(deployment.copiesPerNode(), draw),
                    scaling(deployment, plan.load()));
            List<FabricPlan.Phase> slower = plan.phases().stream()
                    .map(phase -> slower(phase, draw.throughput()))
                    .toList();
            return plan(deployment, plan.load(), total, slower);
        });
    }

    private static FabricPlan.Phase slower(FabricPlan.Phase phase, double throughput) {
        return new FabricPlan.Phase(
                phase.name(),
                phase.minutes(),
                phase.rate(),
                phase.copies(),
                phase.p50TtftMs() / throughput,
                phase.p99TtftMs() / throughput,
                phase.p50TpotMs() / throughput,
                phase.p99TpotMs() / throughput,
                phase.capacityRun(),
                phase.serviceRun());
    }
}
