package dev.stagesim.sim.serving;

/**
 * Size of a model as its card states it, where counting from the shape would leave out embeddings, experts or latent
 * attention.
 *
 * @param parameters all weights
 * @param activeParameters weights that one token uses
 * @param kvBytesPerToken KV-cache bytes of one token over all layers and heads
 * @param weightBytes bytes of all weights
 * @param kvSharded true when tensor parallelism splits the KV heads; false when each device holds them all
 */
public record Footprint(
        long parameters, long activeParameters, long kvBytesPerToken, long weightBytes, boolean kvSharded) {}
