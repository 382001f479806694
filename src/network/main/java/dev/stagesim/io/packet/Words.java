package dev.stagesim.io.packet;

import java.util.ArrayList;
import java.util.List;

/** Tokenizer: the words of a text in order, with their lines. */
final class Words {
    private final String source;
    private final List<String> words = new ArrayList<>();
    private final List<Integer> lines = new ArrayList<>();
    private int at;

    Words(String text, String source) {
        this.source = source;
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            for (String word : line.strip().split("\\s+", -1)) {
                if (!word.isEmpty()) {
                    words.add(word);
                    lines.add(number);
                }
            }
        }
    }

    boolean hasNext() {
        return at < words.size();
    }

    String next() {
        return words.get(at++);
    }

    /** Location of the last word, or the end of the text. */
    String where() {
        if (words.isEmpty()) {
            return source;
        }
        return source + ":" + lines.get(Math.min(Math.max(at - 1, 0), words.size() - 1));
    }

    int left() {
        return words.size() - at;
    }
}
