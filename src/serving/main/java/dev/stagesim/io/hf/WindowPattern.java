package dev.stagesim.io.hf;

import java.util.List;
import java.util.Optional;

/** Formats the windowed layers as the key {@code swa_pattern} of a card. */
final class WindowPattern {
    private WindowPattern() {}

    /** Returns the pattern, or empty if all layers have a window. Irregular layers are given by their counts. */
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
        int count = (int) windowed.stream().filter(Boolean::booleanValue).count();
        return Optional.of(count + " " + local + ":" + (windowed.size() - count) + " global");
    }

    /** True if exactly the first layers of every period are windowed (or full). */
    private static boolean matches(List<Boolean> windowed, int period, int first, boolean isWindowedFirst) {
        for (int i = 0; i < windowed.size(); i++) {
            if ((i % period < first) != (windowed.get(i) == isWindowedFirst)) {
                return false;
            }
        }
        return true;
    }
}
