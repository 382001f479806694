package dev.stagesim.sim.serving.memory;

import dev.stagesim.model.NamedConstant;

/** The rules by which two versions of SGLang's scheduler differ. Each rule is one method. */
public enum SglangRules implements NamedConstant {
    /** SGLang of August 2026. */
    V0_5("0.5"),
    /** SGLang 0.5.23, of November 2026. */
    V0_5_23("0.5.23");

    /** The rules of the newest version. */
    public static final SglangRules NEWEST = V0_5_23;

    private final String id;

    SglangRules(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    /** The upper part of a split node was created when the node was created. */
    boolean splitsKeepCreationTime() {
        return this == V0_5_23;
    }

    /** A chunk of a prompt counts as a hit of the nodes that the prompt has not inserted itself. */
    public boolean countsHitsOfChunks() {
        return this == V0_5_23;
    }

    /** Devices of 20 to 35 GiB have twice the prompt tokens and graphs. */
    public boolean hasLargerSmallDevices() {
        return this == V0_5_23;
    }

    /** The default memory share leaves memory for the graphs of prompts, which engines with pipeline stages do not have. */
    public boolean reservesPromptGraphs() {
        return this == V0_5_23;
    }

    /** Admission reserves the whole rest of an output whose length is fixed. */
    public boolean reservesFixedOutputs() {
        return this == V0_5_23;
    }

    /** A text is cached in two nodes, its prompt and its output, and the prompt has the higher priority. */
    public boolean splitsAtPrompts() {
        return this == V0_5_23;
    }

    /** The result in flight of a finished request is cached as well. */
    public boolean cachesLastOutputs() {
        return this == V0_5_23;
    }

    /** Waiting requests count as recent uses of their cached prefixes. */
    public boolean refreshesWaitingPrefixes() {
        return this == V0_5_23;
    }

    /** Evictions free the missing tokens alone, not as many as are requested. */
    public boolean evictsMissingTokens() {
        return this == V0_5_23;
    }

    /** Requests whose result in flight is their last one by length are not in the next decode step. */
    public boolean skipsLastResults() {
        return this == V0_5_23;
    }

    /** Finished requests leave the running ones before prompts are admitted, and no request keeps the batch full. */
    public boolean admitsAfterFinished() {
        return this == V0_5_23;
    }

    /** Requests of fixed length without a prefix cache are admitted by a forecast of the memory until their ends. */
    public boolean forecastsFixedOutputs() {
        return this == V0_5_23;
    }
}
