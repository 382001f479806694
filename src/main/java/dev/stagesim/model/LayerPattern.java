package dev.stagesim.model;

import java.util.List;

/**
 * Which layers of a model attend to a part of the context only.
 *
 * @param windowed leading layers of every {@code period} that do
 * @param period layers after which the pattern repeats
 * @param isChunked whether they attend to their own chunk of the context, not to the last tokens
 */
public record LayerPattern(int windowed, int period, boolean isChunked) {
    /** The patterns that a card can name; every layer is windowed without one. */
    public static final List<String> NAMES = List.of("alternate", "5 local:1 global", "3 chunked:1 global");

    public static LayerPattern of(ModelCard card) {
        if (card.slidingWindow().isEmpty()) {
            return new LayerPattern(0, 1, false);
        }
        String name = card.swaPattern().orElse("");
        return switch (name) {
            case "" -> new LayerPattern(1, 1, false);
            case "alternate" -> new LayerPattern(1, 2, false);
            case "5 local:1 global" -> new LayerPattern(5, 6, false);
            case "3 chunked:1 global" -> new LayerPattern(3, 4, true);
            default ->
                throw StageException.input(Problem.config("model.swa_pattern", "unknown pattern '" + name + "'")
                        .options(NAMES)
                        .hint("null makes every layer windowed"));
        };
    }

    /** Whether a layer, counted from 0, is windowed. */
    public boolean isWindowed(int layer) {
        return layer % period < windowed;
    }

    /** Share of the layers that are windowed. */
    public double share() {
        return (double) windowed / period;
    }
}
