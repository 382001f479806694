package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.GridSettings;
import dev.stagesim.capacity.SpreadSettings;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.feature.fabric.performance.TrainingStepModel;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.capacity.MonteCarloRanges;
import dev.stagesim.sim.capacity.ScheduleCost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Plans a training workload on a deployment: step time, tokens over the schedule, and cost. */
record TrainingPlanner(
        CatalogEntry entry,
        ModelCard model,
        TrainingStepModel steps,
        GridSettings grid,
        SpreadSettings spread,
        double memoryMargin) {
    private static final double PERCENT = 100;
    private static final double GIB_BYTES = 1024.0 * 1024 * 1024;
    /** 16-bit weights and gradients. */
    private static final double REPLICATED_BYTES = 4;
    /** 32-bit weights and both optimiser moments, sharded over the copies. */
    private static final double SHARDED_BYTES = 12;

    /** Returns the number of copies that fill a number of nodes. */
    static int copies(TargetPlacement deployment, int nodes) {
        return nodes * deployment.target().acceleratorsPerNode() / deployment.devices();
    }

    /** Plans a number of nodes, filled with copies. */
    FabricPlan plan(TargetPlacement deployment, int nodes, int microbatch) {
        if (!NodeCosts.hasPrice(deployment.target())) {
            return FabricPlan.refused(deployment, nodes, microbatch, "its price is unknown");
        }
        int devices = nodes * deployment.target().acceleratorsPerNode();
        if (deployment.devices() > devices) {
            return FabricPlan.refused(
                    deployment,
                    nodes,
                    microbatch,
                    "a copy requires " + deployment.devices() + " devices, " + nodes + " nodes have " + devices);
        }
        int copies = copies(deployment, nodes);
        Optional<String> why = steps.whyInfeasible(deployment, copies, microbatch)
                .or(() -> whyInfeasible(deployment, copies, microbatch));
        if (why.isPresent()) {
            return FabricPlan.refused(deployment, nodes, microbatch, why.get());
        }
        return priced(
                deployment,
                nodes,
                microbatch,
                steps.step(deployment, copies, microbatch),
                new MonteCarloRanges.Draw(
                        1,
                        1,
                        new NodeCosts(deployment.target(), grid).price().mode(),
                        new NodeCosts(deployment.target(), grid).carbon().mode()));
    }

    private Optional<String> whyInfeasible(TargetPlacement deployment, int copies, int microbatch) {
        double perDevice = (double) model.size().parameters() / deployment.devices();
        double states = perDevice * (REPLICATED_BYTES + SHARDED_BYTES / copies);
        double room = deployment.target().device().memory().memGb() * GIB_BYTES * (1 - memoryMargin);
        // With recomputed activations, a layer keeps only its input: 2 bytes per value.
        double activations = 2.0
                * microbatch
                * entry.phases().get(0).prompt()
                * model.shape().hiddenSize()
                * model.shape().numLayers()
                / deployment.devices();
        return states + activations <= room
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "not enough memory: states %.1f GiB and activations %.1f GiB of %.1f GiB",
                        states / GIB_BYTES,
                        activations / GIB_BYTES,
                        room / GIB_BYTES));
    }

    private FabricPlan priced(
            TargetPlacement deployment,
            int nodes,
            int microbatch,
            TrainingStepModel.Step done,
            MonteCarloRanges.Draw draw) {
        double stepTokens = (double) copies(deployment, nodes)
                * microbatch
                * entry.phases().get(0).prompt();
        double step = done.ms() / draw.throughput();
        double tokens = stepTokens / step * 1e3;
        List<ScheduleCost.Demand> demands = new ArrayList<>();
        List<FabricPlan.Phase> phases = new ArrayList<>();
        for (CatalogEntry.Phase phase : entry.phases()) {
            demands.add(new ScheduleCost.Demand(
                    phase.minutes(), nodes * phase.autoscale(), tokens * phase.tokensScale() / nodes));
            phases.add(new FabricPlan.Phase(phase.name(), phase.minutes(), 0, 0, 0, 0, 0, 0, done.link(), done.link()));
        }
        ScheduleCost.Total total = ScheduleCost.of(
                demands,
                new NodeCosts(deployment.target(), grid).node(1, draw),
                new ScheduleCost.Scaling(1, 1, Integer.MAX_VALUE, 1, true));
        Map<String, Double> byName = new LinkedHashMap<>();
        byName.put(FabricPlan.USD_TOTAL, total.usd());
        byName.put(FabricPlan.USD_PER_MTOK, total.usdPerMillionTokens());
        byName.put(FabricPlan.STEP, step);
        byName.put(FabricPlan.TOKENS, tokens);
        byName.put(FabricPlan.POWER, total.meanKilowatts());
        byName.put(FabricPlan.ENERGY, total.kwh());
        byName.put(FabricPlan.CARBON, total.kg());
        byName.put(FabricPlan.NODES, (double) total.mostNodes());
        byName.put(FabricPlan.UTILIZATION, PERCENT * done.utilization() * draw.throughput());
        return new FabricPlan(deployment, nodes, microbatch, Optional.empty(), Optional.of(total), phases, byName);
    }

    /** Adds ranges of the metrics. */
    FabricPlan withRanges(FabricPlan plan) {
        if (plan.refusal().isPresent()) {
            return plan;
        }
        TargetPlacement deployment = plan.deployment();
        int nodes = (int) plan.load();
        TrainingStepModel.Step step = steps.step(deployment, copies(deployment, nodes), plan.detail());
        return new PlanRanges(spread, steps.sigma())
                .of(
                        plan,
                        new NodeCosts(deployment.target(), grid),
                        draw -> priced(deployment, nodes, plan.detail(), step, draw));
    }
}
