package dev.stagesim.sim.serving.memory;

/** A rule of SGLang's scheduler, with the first version of {@link SglangRules} that follows it. */
public enum SglangRule {
    /** The upper part of a split node was created when the node was created. */
    SPLITS_KEEP_CREATION_TIME(SglangRules.V0_5_23),
    /** A chunk of a prompt counts as a hit of the nodes that the prompt has not inserted itself. */
    COUNTS_HITS_OF_CHUNKS(SglangRules.V0_5_23),
    /** Devices of 20 to 35 GiB have twice the prompt tokens and graphs. */
    LARGER_SMALL_DEVICES(SglangRules.V0_5_23),
    /** The default memory share leaves memory for the graphs of prompts, which engines with pipeline stages do not have. */
    RESERVES_PROMPT_GRAPHS(SglangRules.V0_5_23),
    /** Admission reserves the whole rest of an output whose length is fixed. */
    RESERVES_FIXED_OUTPUTS(SglangRules.V0_5_23),
    /** A text is cached in two nodes, its prompt and its output, and the prompt has the higher priority. */
    SPLITS_AT_PROMPTS(SglangRules.V0_5_23),
    /** The result in flight of a finished request is cached as well. */
    CACHES_LAST_OUTPUTS(SglangRules.V0_5_23),
    /** Waiting requests count as recent uses of their cached prefixes. */
    REFRESHES_WAITING_PREFIXES(SglangRules.V0_5_23),
    /** Evictions free the missing tokens alone, not as many as are requested. */
    EVICTS_MISSING_TOKENS(SglangRules.V0_5_23),
    /** Requests whose result in flight is their last one by length are not in the next decode step. */
    SKIPS_LAST_RESULTS(SglangRules.V0_5_23),
    /** Finished requests leave the running ones before prompts are admitted, and no request keeps the batch full. */
    ADMITS_AFTER_FINISHED(SglangRules.V0_5_23),
    /** Requests of fixed length without a prefix cache are admitted by a forecast of the memory until their ends. */
    FORECASTS_FIXED_OUTPUTS(SglangRules.V0_5_23);

    private final SglangRules since;

    SglangRule(SglangRules since) {
        this.since = since;
    }

    SglangRules since() {
        return since;
    }
}
