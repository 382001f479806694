package dev.stagesim.pipeline;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Estimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Refuses runs that are expected to take more than they may, and says what long ones are expected to take.
 *
 * @param settings what was asked for
 * @param heapBytes memory of this process
 */
record Limits(LimitSettings settings, long heapBytes) {
    private static final double GIB = 1L << 30;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");
    private static final double SECONDS_AN_HOUR = 3600;

    /** Below these a run is not worth a word. */
    private static final double LONG_S = 10;

    private static final double LARGE_BYTES = GIB;

    static Limits of(LimitSettings settings) {
        return new Limits(settings, Runtime.getRuntime().maxMemory());
    }

    /** Space that is free where a run is written; unknown is any. */
    static double free(Path dir) {
        try {
            return Files.getFileStore(dir).getUsableSpace();
        } catch (IOException | UnsupportedOperationException e) {
            return Double.MAX_VALUE;
        }
    }

    /**
     * Checks what a run is expected to take.
     *
     * @param freeBytes space where it is written
     * @return what to tell a person, if it is worth it
     * @throws StageException (input) with everything that is too much, and the keys that raise it
     */
    Optional<String> check(String stage, Estimate estimate, double freeBytes) {
        List<Problem> problems = new ArrayList<>();
        if (estimate.events() > settings.events()) {
            problems.add(problem(
                    stage,
                    "up to " + number(estimate.events()) + " " + estimate.counted(),
                    "limits.events=" + number(settings.events()),
                    "limits.events=" + above(estimate.events())));
        }
        double hours = estimate.seconds() / SECONDS_AN_HOUR;
        settings.hours()
                .filter(most -> hours > most)
                .ifPresent(most -> problems.add(problem(
                        stage,
                        "about " + time(estimate.seconds()),
                        "limits.hours=" + most,
                        "limits.hours=" + above(hours))));
        space(
                stage,
                "of memory",
                estimate.memoryBytes(),
                settings.memoryGib().map(gib -> gib * GIB),
                heapBytes,
                "limits.memory_gib",
                "a larger heap (STAGE_JAVA_OPTS=-Xmx...), or ",
                problems);
        space(
                stage,
                "on disk",
                estimate.diskBytes(),
                settings.diskGib().map(gib -> gib * GIB),
                freeBytes,
                "limits.disk_gib",
                "",
                problems);
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        boolean isWorthIt = estimate.seconds() > LONG_S
                || estimate.memoryBytes() > LARGE_BYTES
                || estimate.diskBytes() > LARGE_BYTES;
        return isWorthIt ? Optional.of(words(estimate)) : Optional.empty();
    }

    private static void space(
            String stage,
            String what,
            double bytes,
            Optional<Double> asked,
            double there,
            String key,
            String other,
            List<Problem> problems) {
        double most = asked.orElse(there);
        if (bytes > most) {
            String limit = asked.isPresent() ? key + "=" + number(most / GIB) : "what there is, " + size(most);
            problems.add(
                    problem(stage, "about " + size(bytes) + " " + what, limit, other + key + "=" + above(bytes / GIB)));
        }
    }

    private static Problem problem(String stage, String expected, String limit, String raise) {
        return Problem.of("limit exceeded", stage, "is expected to take " + expected)
                .note("limit", limit)
                .hint("ask for less, or raise the limit: " + raise);
    }

    /** Two digits, rounded up, so that what is suggested suffices. */
    private static String above(double value) {
        double unit = Math.pow(10, Math.floor(Math.log10(value)) - 1);
        return number(Math.ceil(value * 1.001 / unit) * unit);
    }

    private static String number(double value) {
        if (value >= 1e6) {
            return String.format(Locale.ROOT, "%.1e", value).replace("e+0", "e").replace("e+", "e");
        }
        return value >= 100 ? String.format(Locale.ROOT, "%.0f", value) : String.format(Locale.ROOT, "%.2g", value);
    }

    /** Small ones in small units: what is too much must not read as what there is. */
    private static String size(double bytes) {
        int unit = 0;
        double value = bytes;
        for (; value >= 1024 && unit < UNITS.size() - 1; unit++) {
            value /= 1024;
        }
        boolean isWhole = unit == 0 || (value >= 10 && unit < UNITS.size() - 1);
        return String.format(Locale.ROOT, isWhole ? "%,.0f %s" : "%,.1f %s", value, UNITS.get(unit));
    }

    private static String time(double seconds) {
        return seconds < 120
                ? String.format(Locale.ROOT, "%.0f s", seconds)
                : seconds < 2 * SECONDS_AN_HOUR
                        ? String.format(Locale.ROOT, "%.0f min", seconds / 60)
                        : String.format(Locale.ROOT, "%,.1f h", seconds / SECONDS_AN_HOUR);
    }

    private static String words(Estimate estimate) {
        List<String> parts = new ArrayList<>();
        if (estimate.events() > 0) {
            parts.add("up to " + number(estimate.events()) + " " + estimate.counted());
        }
        if (estimate.seconds() > 0) {
            parts.add("about " + time(estimate.seconds()));
        }
        if (estimate.memoryBytes() > 0) {
            parts.add(size(estimate.memoryBytes()) + " of memory");
        }
        if (estimate.diskBytes() > 0) {
            parts.add(size(estimate.diskBytes()) + " on disk");
        }
        return "expected: " + String.join(", ", parts);
    }
}
