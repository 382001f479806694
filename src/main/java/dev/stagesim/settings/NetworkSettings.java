package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** The network between NPUs and how it is simulated: the section {@code network}. */
public record NetworkSettings(
        @Key(doc = "How messages take time.", def = "congestion_unaware") Backend backend,
        @Key(doc = "What is connected with what.", def = "{ kind = dims }") FabricSettings topology) {
    /** Models of the network. */
    public enum Backend {
        /** A message takes latency and bandwidth; messages never delay each other. */
        CONGESTION_UNAWARE,
        /** Messages queue at every link, whole, first come first served. */
        CONGESTION_AWARE
    }
}
