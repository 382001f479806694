package dev.stagesim.serving.workload;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Token sharing between requests, which prefix caches exploit: the section {@code workload.sharing}. */
public sealed interface SharingSettings
        permits SharingSettings.None, SharingSettings.Prefixes, SharingSettings.Sessions, SharingSettings.Agents {
    /** Returns true if these settings add no shared tokens. */
    default boolean isNone() {
        return this instanceof None || (this instanceof Prefixes prefixes && prefixes.tokens() == 0);
    }

    /** Returns true if requests are turns of sessions or calls of tasks. */
    default boolean hasSessions() {
        return this instanceof Sessions || this instanceof Agents;
    }

    @Variant("none | No shared tokens, except prefixes that a trace records.")
    record None() implements SharingSettings {}

    @Variant("prefixes | Every prompt begins with the prefix of its group, such as a system prompt. Lengths "
            + "do not change: a prompt that is shorter than the prefix consists of its first tokens.")
    record Prefixes(
            @Key("Number of groups. | 8 | 1..4096") int groups,
            @Key("Mean prefix length; 0 for none. | 512 | tokens | 0..1000000") int tokens,
            @Key("Skew of the groups' popularity: group i has the weight i^-theta; 0 for equal weights. | 1.0 | "
                            + "0..100")
                    double theta,
            @Key("Standard deviation of the logarithm of prefix lengths (log-normal); 0 for equal lengths. | 0 | "
                            + "0..3")
                    double spread)
            implements SharingSettings {}

    @Variant(
            "sessions | Requests are turns of conversations. Each prompt contains all earlier turns and a "
                    + "new message of the drawn length. The first turn arrives at the time of its request, each "
                    + "further turn a think time after its predecessor, or in a closed loop after the previous answer. Arrival rates count the requests of all turns.")
    @FormerKeys("think=think_time_s")
    record Sessions(
            @Key("Turns of a conversation, which ends early if a turn would exceed workload.max_tokens. | 4 | "
                            + "1..1000000000")
                    int turns,
            @Key("Mean of the exponential time between the arrivals of two turns, which do not wait for answers; in "
                            + "a closed loop, from an answer to the next turn. | 30 | s | 0..1000000000")
                    double thinkTimeS,
            @Key(
                            "Shared prefix of all prompts, such as a system prompt. It is added to the drawn lengths. | 0 | tokens | 0..1000000")
                    int sharedPrefixTokens)
            implements SharingSettings {}

    @Variant("agents | Requests are model calls of agent tasks. Each prompt contains all earlier calls of the "
            + "task without their reasoning, and a tool result. The first call arrives at the time of its "
            + "request, each further call after the assumed time of the preceding answer and the tool; in a closed loop "
            + "after the simulated answer and the tool. Arrival rates "
            + "count all calls.")
    @FormerKeys({
        "common=shared_prefix_tokens",
        "result=tool_result_tokens",
        "reasoning=reasoning_share",
        "tool=tool_time_s",
        "token_time=token_time_s"
    })
    record Agents(
            @Key("Mean of the geometric number of calls of a task, which ends early if a call would exceed "
                            + "workload.max_tokens. | 8 | 1..1000000")
                    double calls,
            @Key("Shared prefix of all prompts: instructions and tool descriptions. | 1024 | tokens | 0..1000000")
                    int sharedPrefixTokens,
            @Key("Mean of the exponential length of a tool result. | 512 | tokens | 0.000001..1000000000")
                    double toolResultTokens,
            @Key("Share of each output that is reasoning. It is at the beginning of the output, and later prompts "
                            + "exclude it. | 0 | 0..1")
                    double reasoningShare,
            @Key("Mean of the exponential execution time of a tool. | 2 | s | 0.000000001..1000000000")
                    double toolTimeS,
            @Key("Assumed time per output token before the tool starts, unless a closed loop lets calls wait for "
                            + "answers. | 0.02 | s | 0..1000000000")
                    double tokenTimeS)
            implements SharingSettings {}
}
