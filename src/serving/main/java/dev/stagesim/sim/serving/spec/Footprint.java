package dev.stagesim.sim.serving.spec;

/**
 * The size of a model according to its card, if the shape alone would omit embeddings, experts or latent attention.
 *
 * @param parameters all weights
 * @param activeParameters weights that one token uses
 * @param kvBytesPerToken KV-cache bytes of one token over all layers and heads
 * @param weightBytes bytes of all weights
 * @param kvSharded true if tensor parallelism splits the KV heads; false if each device stores all heads
 */
public record Footprint(
        long parameters, long activeParameters, long kvBytesPerToken, long weightBytes, boolean kvSharded) {}
