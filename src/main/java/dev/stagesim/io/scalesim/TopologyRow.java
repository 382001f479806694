package dev.stagesim.io.scalesim;

import dev.stagesim.sim.systolic.LayerShape;

/**
 * A layer of a topology.
 *
 * @param layer one of its products
 * @param products equal products, with operands of their own; more than 1 in a batched matrix product
 */
public record TopologyRow(LayerShape layer, int products) {}
