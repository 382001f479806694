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
}
