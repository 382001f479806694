package dev.stagesim.mock;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;

/**
 * How a server behaves.
 *
 * @param address where it listens; port 0 for any that is free
 * @param model name that requests must give, if they give one
 * @param apiKey bearer token that requests must have; kept in memory only
 * @param defaultTokens output tokens of a request that does not say
 * @param requests the server ends when so many requests have been answered; empty for never
 * @param durationNs the server ends after this time; empty for never
 * @param counter counts the tokens of a prompt
 */
public record MockOptions(
        InetSocketAddress address,
        String model,
        Optional<String> apiKey,
        int defaultTokens,
        OptionalLong requests,
        OptionalLong durationNs,
        ToIntFunction<String> counter) {
    /** Counts tokens as common tokenizers do, nearly. */
    public static final ToIntFunction<String> ESTIMATE = TokenEstimate::of;

    /** Leaves the key out: this text may end up in messages. */
    @Override
    public String toString() {
        return model + " at " + address;
    }
}
