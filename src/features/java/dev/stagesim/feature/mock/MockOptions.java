package dev.stagesim.feature.mock;

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

    /**
     * About how many tokens common tokenizers make of a text: a word of up to seven letters is one, longer ones one more for every
     * four letters; three digits are one, and so is each other sign.
     */
    private static final class TokenEstimate {
        private static final int SHORT_WORD = 7;
        private static final int PIECE = 4;
        private static final int DIGITS = 3;

        private TokenEstimate() {}

        static int of(String text) {
            int tokens = 0;
            int at = 0;
            while (at < text.length()) {
                int sign = text.codePointAt(at);
                int from = at;
                if (Character.isLetter(sign)) {
                    while (at < text.length() && Character.isLetter(text.codePointAt(at))) {
                        at += Character.charCount(text.codePointAt(at));
                    }
                    tokens += 1 + Math.max(0, at - from - SHORT_WORD + PIECE - 1) / PIECE;
                } else if (Character.isDigit(sign)) {
                    while (at < text.length() && Character.isDigit(text.codePointAt(at))) {
                        at += Character.charCount(text.codePointAt(at));
                    }
                    tokens += (at - from + DIGITS - 1) / DIGITS;
                } else {
                    at += Character.charCount(sign);
                    tokens += Character.isWhitespace(sign) ? 0 : 1;
                }
            }
            return tokens;
        }
    }
}
