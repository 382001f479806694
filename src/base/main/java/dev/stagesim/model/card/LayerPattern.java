package dev.stagesim.model.card;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Positions of the layers that attend to a part of the context.
 *
 * @param windowed windowed layers per period
 * @param period number of layers after which the pattern repeats
 * @param isChunked true if these layers attend to their chunk of the context instead of the last tokens
 * @param startsFull true if each period begins with its full layers
 */
public record LayerPattern(int windowed, int period, boolean isChunked, boolean startsFull) {
    /** Examples of patterns. Without a pattern, every layer is windowed. */
    static final List<String> NAMES =
            List.of("alternate", "5 local:1 global", "1 global:3 local", "3 chunked:1 global");

    private static final Pattern COUNTS =
            Pattern.compile("(\\d{1,6}) (local|chunked|global):(\\d{1,6}) (local|chunked|global)");
    private static final String GLOBAL = "global";

    /**
     * Returns the pattern of a card.
     *
     * @throws StageException (input) if the pattern is unknown
     */
    public static LayerPattern of(ModelCard card) {
        if (card.window().slidingWindow().isEmpty()) {
            return new LayerPattern(0, 1, false, false);
        }
        String name = card.window().swaPattern().orElse("");
        if (name.isEmpty()) {
            return new LayerPattern(1, 1, false, false);
        }
        if (name.equals("alternate")) {
            return new LayerPattern(1, 2, false, false);
        }
        Matcher counts = COUNTS.matcher(name);
        if (counts.matches()
                && counts.group(2).equals(GLOBAL) != counts.group(4).equals(GLOBAL)) {
            boolean startsFull = counts.group(2).equals(GLOBAL);
            int first = Integer.parseInt(counts.group(1));
            int second = Integer.parseInt(counts.group(3));
            if (first > 0 && second > 0) {
                String kind = counts.group(startsFull ? 4 : 2);
                return new LayerPattern(
                        startsFull ? second : first, first + second, kind.equals("chunked"), startsFull);
            }
        }
        throw StageException.input(Problem.config("model.swa_pattern", "unknown pattern '" + name + "'")
                .options(NAMES)
                .hint("null makes every layer windowed"));
    }

    /** True if a layer, counted from 0, is windowed. */
    public boolean isWindowed(int layer) {
        int place = layer % period;
        return startsFull ? place >= period - windowed : place < windowed;
    }

    /** Returns the share of windowed layers among the first {@code layers}. */
    public double share(int layers) {
        return layers == 0 ? 0 : (double) count(layers) / layers;
    }

    /** Returns the number of windowed layers among the first {@code layers}. */
    public int count(int layers) {
        int rest = layers % period;
        int last = startsFull ? Math.max(0, rest - (period - windowed)) : Math.min(rest, windowed);
        return layers / period * windowed + last;
    }
}
