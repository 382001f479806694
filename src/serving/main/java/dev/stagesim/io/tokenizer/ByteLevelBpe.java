package dev.stagesim.io.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * GPT-2's byte-pair encoding over bytes written as printable characters. Not thread-safe.
 *
 * @param vocabulary known tokens
 * @param ranks rank of each merge by its two parts, separated by a blank; lower ranks merge first
 * @param splits patterns that split the text, applied in order; matches and the text between them are pieces
 * @param prefixSpace true to add a blank before a text that does not start with one
 * @param wholeWords true to keep a piece that is in the vocabulary, regardless of merges
 */
record ByteLevelBpe(
        Map<String, Integer> vocabulary,
        Map<String, Integer> ranks,
        List<Pattern> splits,
        boolean prefixSpace,
        boolean wholeWords)
        implements Tokenizer {
    private static final char[] BYTE_CHARS = byteChars();

    ByteLevelBpe {
        splits = List.copyOf(splits);
    }

    @Override
    public int count(String text) {
        return tokens(text).size();
    }

    /** Returns the tokens of a text in the byte alphabet. */
    List<String> tokens(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        List<String> pieces = List.of(prefixSpace && !text.startsWith(" ") ? " " + text : text);
        for (Pattern split : splits) {
            List<String> finer = new ArrayList<>();
            pieces.forEach(piece -> cut(piece, split, finer));
            pieces = finer;
        }
        List<String> tokens = new ArrayList<>();
        pieces.forEach(piece -> merge(inByteChars(piece.getBytes(StandardCharsets.UTF_8)), tokens));
        return tokens;
    }

    private static void cut(String piece, Pattern split, List<String> into) {
        Matcher matcher = split.matcher(piece);
        int from = 0;
        while (matcher.find()) {
            if (matcher.start() > from) {
                into.add(piece.substring(from, matcher.start()));
            }
            if (matcher.end() > matcher.start()) {
                into.add(matcher.group());
            }
            from = matcher.end();
        }
        if (from < piece.length()) {
            into.add(piece.substring(from));
        }
    }

    /** Merges adjacent pairs by ascending rank, from the left for equal ranks. Quadratic in the length of the piece. */
    private void merge(String piece, List<String> into) {
        if (wholeWords && vocabulary.containsKey(piece)) {
            into.add(piece);
            return;
        }
        List<String> parts = new ArrayList<>(piece.length());
        for (int i = 0; i < piece.length(); i++) {
            parts.add(piece.substring(i, i + 1));
        }
        for (int best = bestPair(parts); best >= 0; best = bestPair(parts)) {
            parts.set(best, parts.get(best) + parts.remove(best + 1));
        }
        into.addAll(parts);
    }

    private int bestPair(List<String> parts) {
        int best = -1;
        int bestRank = Integer.MAX_VALUE;
        for (int i = 0; i + 1 < parts.size(); i++) {
            Integer rank = ranks.get(parts.get(i) + " " + parts.get(i + 1));
            if (rank != null && rank < bestRank) {
                bestRank = rank;
                best = i;
            }
        }
        return best;
    }

    /** Returns the bytes in the printable alphabet. */
    static String inByteChars(byte[] bytes) {
        StringBuilder out = new StringBuilder(bytes.length);
        for (byte b : bytes) {
            out.append(BYTE_CHARS[b & 0xff]);
        }
        return out.toString();
    }

    /** Returns the alphabet: printable Latin-1 bytes map to themselves, the others in order to characters from 256. */
    private static char[] byteChars() {
        char[] chars = new char[256];
        int next = 256;
        for (int b = 0; b < 256; b++) {
            boolean printable = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
            chars[b] = (char) (printable ? b : next++);
        }
        return chars;
    }
}
