package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.Optional;

/** Checks the section {@code cluster.pools.NAME.experts}. */
final class ExpertChecks {
    private ExpertChecks() {}

    /** Returns the first problem of a pool's section. */
    static Optional<Problem> firstProblem(String pool, Pool settingsOfPool, ModelCard model, HardwareCard hardware) {
        ExpertSettings settings = settingsOfPool.experts().orElseThrow();
        String key = pool + ".experts";
        if (ModelSize.expertLayers(model) == 0) {
            return problem(key, "has no effect: " + model.name() + " has no routed experts", "leave it out");
        }
        if (settingsOfPool.scaling().isPresent() && settings.instances() > 1) {
            return problem(key + ".instances", "must be 1 in a pool with autoscaling", "leave scaling out");
        }
        if (settings.lockstep() && settings.instances() == 1) {
            return problem(key + ".lockstep", "has no effect: the instances share no experts", "set instances");
        }
        if (settings.lockstep() && settingsOfPool.batches() instanceof SchedulerSettings.OfVidur) {
            return problem(
                    key + ".lockstep",
                    "is supported for vllm_v1, trtllm and sglang only",
                    "use one of them, or leave it out");
        }
        if (settingsOfPool.replicas() % settings.instances() != 0) {
            return problem(
                    key + ".instances",
                    "is " + settings.instances() + ", which does not divide the " + settingsOfPool.replicas()
                            + " replicas",
                    "set it to " + settingsOfPool.replicas() + " for one group");
        }
        int experts = model.experts().numExperts().orElseThrow();
        int devices = settings.instances() * settingsOfPool.deployment().tp();
        int slots = experts + settings.redundant();
        if (slots % devices != 0) {
            int more = (devices - experts % devices) % devices;
            return problem(
                    key + ".redundant",
                    "is " + settings.redundant() + ", but " + slots
                            + " expert replicas cannot be divided equally among " + devices + " devices",
                    "set it to " + more + " or " + (more + devices));
        }
        return placementProblem(key, settings, experts, devices, hardware);
    }

    private static Optional<Problem> placementProblem(
            String key, ExpertSettings settings, int experts, int devices, HardwareCard hardware) {
        if (experts % settings.placement().groups() != 0) {
            return problem(
                    key + ".placement.groups",
                    "is " + settings.placement().groups() + ", which does not divide the " + experts + " experts",
                    "set it to 1, or to the number of groups of the model");
        }
        return devices > 1 && !new Links(hardware).canLink(devices)
                ? problem(
                        key + ".instances",
                        "requires links between " + devices + " devices, but the card of " + hardware.name()
                                + " specifies none",
                        "lower it, or set hardware.nic_gbps_per_accel_typ")
                : Optional.empty();
    }

    private static Optional<Problem> problem(String key, String message, String hint) {
        return Optional.of(Problem.config(key, message).hint(hint));
    }
}
