package dev.stagesim.mock;

/**
 * About how many tokens common tokenizers make of a text: a word of up to seven letters is one, longer ones one more for every
 * four letters; three digits are one, and so is each other sign.
 */
final class TokenEstimate {
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
