package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;

/**
 * The routed experts of a model on the devices of a group of instances.
 *
 * @param layers number of layers with routed experts
 * @param experts experts per layer
 * @param perToken experts per token
 * @param devices devices that share the experts of a layer
 * @param stages number of pipeline stages; each has its devices and layers
 * @param expertBytes weight bytes per expert
 * @param load expert loads
 * @param hasOwnLoad false if step times use the popularity of the step model, like the times of single engines
 */
public record ExpertPlan(
        ExpertSettings settings,
        int layers,
        int experts,
        int perToken,
        int devices,
        int stages,
        double expertBytes,
        Links links,
        ExpertLoad.Source load,
        boolean hasOwnLoad) {
    public static ExpertPlan of(ExpertSettings settings, Shape shape, ModelCard model, HardwareCard hardware) {
        int layers = ModelSize.expertLayers(model);
        int experts = model.experts().numExperts().orElseThrow();
        return new ExpertPlan(
                settings,
                layers,
                experts,
                model.experts().expertsPerToken().orElseThrow(),
                settings.instances() * shape.tp(),
                shape.pp(),
                ModelSize.expert(model) * model.bytes(LayerGroup.EXPERTS),
                new Links(hardware),
                settings.load().of(layers, experts),
                true);
    }

    /** Returns this plan with the popularity of the step model. */
    public ExpertPlan withoutOwnLoad() {
        return new ExpertPlan(settings, layers, experts, perToken, devices, stages, expertBytes, links, load, false);
    }

    /** Returns the number of expert replicas per layer. */
    public int slots() {
        return experts + settings.redundant();
    }

    /** Returns the number of nodes, or 1 if the devices do not fill whole nodes. */
    public int nodes() {
        int node = links.devicesPerNode();
        return devices % node == 0 ? devices / node : 1;
    }

    /** Returns the experts in the form that the memory and step models of an instance require. */
    public ReplicaModel.SharedExperts shared() {
        int instances = settings.instances();
        Sharding sharding = new Sharding(devices / instances, stages, instances, 1, devices);
        return new ReplicaModel.SharedExperts(sharding, (double) slots() / instances, false);
    }
}
