package dev.stagesim.feature.cluster.experts;

import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;

/**
 * The routed experts of a model on the devices of a group of instances.
 *
 * @param layers layers of experts
 * @param experts experts of a layer
 * @param perToken experts that a token visits
 * @param devices devices that share a layer's experts
 * @param stages pipeline stages, each of which has devices and layers of its own
 * @param expertBytes weights of an expert
 * @param load how often experts are chosen
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
        ExpertLoad.Source load) {
    public static ExpertPlan of(ExpertSettings settings, Shape shape, ModelCard model, HardwareCard hardware) {
        int layers = ModelSize.expertLayers(model);
        int experts = model.numExperts().orElseThrow();
        return new ExpertPlan(
                settings,
                layers,
                experts,
                model.expertsPerToken().orElseThrow(),
                settings.instances() * shape.tp(),
                shape.pp(),
                ModelSize.expert(model) * model.bytes(LayerGroup.EXPERTS),
                new Links(hardware),
                settings.load().of(layers, experts));
    }

    /** Copies of a layer's experts. */
    public int slots() {
        return experts + settings.redundant();
    }

    /** Nodes that the devices are in, all equally full; 1 where they are not. */
    public int nodes() {
        int node = links.devicesPerNode();
        return devices % node == 0 ? devices / node : 1;
    }

    /** Returns the experts as the memory and the steps of an instance take them; each instance is an engine. */
    public ReplicaModel.SharedExperts shared() {
        int instances = settings.instances();
        Sharding sharding = new Sharding(devices / instances, stages, instances, 1, devices);
        return new ReplicaModel.SharedExperts(sharding, (double) slots() / instances, false);
    }
}
