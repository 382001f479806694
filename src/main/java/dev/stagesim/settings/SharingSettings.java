package dev.stagesim.settings;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Which requests have tokens in common, so that a prefix cache can find them: the section {@code workload.sharing}. */
public sealed interface SharingSettings
        permits SharingSettings.None, SharingSettings.Prefixes, SharingSettings.Sessions, SharingSettings.Agents {
    @Variant("none | Every prompt is its own, but for prefixes that a trace names.")
    record None() implements SharingSettings {}

    @Variant("prefixes | Every prompt begins with the prefix of a group, such as a system prompt; lengths stay as"
            + " drawn, and a prompt no longer than the prefix is all prefix.")
    record Prefixes(
            @Key("Number of groups. | 8 | 1..4096") int groups,
            @Key("Mean length of a prefix. | 512 | tokens | 1..1000000") int tokens,
            @Key("Skew of the groups' popularity: the weight of the i-th is i to the power of minus theta; 0 for"
                            + " equally popular ones. | 1.0 | 0..100")
                    double theta,
            @Key("Spread of the prefixes' lengths: sigma of a log-normal; 0 for the same length. | 0 | 0..3")
                    double spread)
            implements SharingSettings {}

    @Variant("sessions | Requests are turns of conversations: each prompt is all that was said before, and what is"
            + " drawn for it. The first turn comes when its request is drawn to arrive, the others a think time"
            + " after the one before.")
    @FormerKeys("think=think_time_s")
    record Sessions(
            @Key("Turns of a conversation; fewer where the next would exceed workload.max_tokens. | 4 | 1..1000000000")
                    int turns,
            @Key("Mean time from the arrival of a turn to that of the next, exponential; open loop, so answers are"
                            + " not waited for. | 30 | s | 0.000000001..1000000000")
                    double thinkTimeS)
            implements SharingSettings {}

    @Variant(
            "agents | Requests are calls of the model in tasks: each prompt is all that came before, but for reasoning,"
                    + " and the result of a tool. A task comes when its first request is drawn to arrive, a call when the answer"
                    + " before it and the tool should be done.")
    @FormerKeys({
        "common=shared_prefix_tokens",
        "result=tool_result_tokens",
        "reasoning=reasoning_share",
        "tool=tool_time_s",
        "token_time=token_time_s"
    })
    record Agents(
            @Key("Mean number of calls in a task, geometric; fewer where the next would exceed workload.max_tokens."
                            + " | 8 | 1..1000000")
                    double calls,
            @Key(
                            "Tokens that all prompts begin with: instructions and descriptions of tools. | 1024 | tokens | 0..1000000")
                    int sharedPrefixTokens,
            @Key("Mean length of a tool's result, exponential. | 512 | tokens | 0.000001..1000000000")
                    double toolResultTokens,
            @Key("Share of each output that is reasoning, which comes first and is not in later prompts. | 0 | 0..1")
                    double reasoningShare,
            @Key("Mean time that a tool takes, exponential. | 2 | s | 0.000000001..1000000000") double toolTimeS,
            @Key("Time that each output token is taken to need before the tool begins; open loop, so answers are not"
                            + " waited for. | 0.02 | s | 0..1000000000")
                    double tokenTimeS)
            implements SharingSettings {}
}
