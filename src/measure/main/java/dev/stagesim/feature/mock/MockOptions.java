package dev.stagesim.feature.mock;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;

/**
 * Options of a server.
 *
 * @param address address to listen on; port 0 for any free port
 * @param model model name; a request with another name is rejected
 * @param version version that the server reports
 * @param apiKey required bearer token; kept in memory only
 * @param defaultTokens output tokens of a request that does not specify them
 * @param requests number of completed requests after which the server stops, if limited
 * @param durationNs time after which the server stops, if limited
 * @param counter counts the tokens of a prompt
 */
record MockOptions(
        InetSocketAddress address,
        String model,
        String version,
        Optional<String> apiKey,
        int defaultTokens,
        OptionalLong requests,
        OptionalLong durationNs,
        ToIntFunction<String> counter) {
    /** Approximates the token counts of common tokenizers. */
    static final ToIntFunction<String> ESTIMATE = TokenEstimate::of;

    /** Omits the key, because this text can appear in messages. */
    @Override
    public String toString() {
        return model + " at " + address;
    }

    /**
     * Approximates the token counts of common tokenizers: one token per word of up to seven letters plus one per four further
     * letters, one per three digits, and one per other character.
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
                int character = text.codePointAt(at);
                int from = at;
                if (Character.isLetter(character)) {
                    while (at < text.length() && Character.isLetter(text.codePointAt(at))) {
                        at += Character.charCount(text.codePointAt(at));
                    }
                    tokens += 1 + Math.max(0, at - from - SHORT_WORD + PIECE - 1) / PIECE;
                } else if (Character.isDigit(character)) {
                    while (at < text.length() && Character.isDigit(text.codePointAt(at))) {
                        at += Character.charCount(text.codePointAt(at));
                    }
                    tokens += (at - from + DIGITS - 1) / DIGITS;
                } else {
                    at += Character.charCount(character);
                    tokens += Character.isWhitespace(character) ? 0 : 1;
                }
            }
            return tokens;
        }
    }
}
