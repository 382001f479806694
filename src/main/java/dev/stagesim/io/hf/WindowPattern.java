package dev.stagesim.io.hf;

import java.util.List;
import java.util.Optional;

/** Names the layers with a window as {@code swa_pattern} of a card does. */
final class WindowPattern {
    private WindowPattern() {}

    /** The name; empty if all layers have a window. Layers in no regular order are given by their numbers. */
    static Optional<String> name(List<Boolean> windowed, boolean isChunk) {
        if (!windowed.contains(false)) {
            return Optional.empty();
        }
        String local = isChunk ? "chunked" : "local";
        for (int period = 2; period <= windowed.size(); period++) {
            for (int first = 1; first < period; first++) {
                if (matches(windowed, period, first, true)) {
                    return Optional.of(
                            period == 2 && !isChunk
                                    ? "alternate"
                                    : first + " " + local + ":" + (period - first) + " global");
                }
                if (matches(windowed, period, first, false)) {
                    return Optional.of(first + " global:" + (period - first) + " " + local);
                }
            }
        }
        int count = (int) windowed.stream().filter(its -> its).count();
        return Optional.of(count + " " + local + ":" + (windowed.size() - count) + " global");
    }

    /** Whether the first layers of every period, and no others, are windowed, or full. */
    private static boolean matches(List<Boolean> windowed, int period, int first, boolean isWindowedFirst) {
        for (int i = 0; i < windowed.size(); i++) {
            if ((i % period < first) != (windowed.get(i) == isWindowedFirst)) {
                return false;
            }
        }
        return true;
    }
}
