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
 * Rejects runs whose expected cost exceeds a limit, and reports the expected cost of long runs.
 *
 * @param settings the limits
 * @param heapBytes maximum heap size of this process
 */
record Limits(LimitSettings settings, long heapBytes) {
    private static final double GIB = 1L << 30;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");
    private static final double SECONDS_PER_HOUR = 3600;

    /** Runs below these values are not reported. */
    private static final double LONG_S = 10;

    private static final double LARGE_BYTES = GIB;

    static Limits of(LimitSettings settings) {
        return new Limits(settings, Runtime.getRuntime().maxMemory());
    }

    /** Returns the free space of a directory's file system, or the maximum value if unknown. */
    static double free(Path dir) {
        try {
            return Files.getFileStore(dir).getUsableSpace();
        } catch (IOException | UnsupportedOperationException e) {
            return Double.MAX_VALUE;
        }
    }

    /**
     * Checks the expected cost of a run.
     *
     * @param freeBytes free space at the output directory
     * @return a message for the user, or empty for a small run
     * @throws StageException (input) with every exceeded limit and the key that raises it
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
        double hours = estimate.seconds() / SECONDS_PER_HOUR;
        settings.hours()
                .filter(max -> hours > max)
                .ifPresent(max -> problems.add(problem(
                        stage,
                        "about " + time(estimate.seconds()),
                        "limits.hours=" + max,
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
                "more free space below tmp/, or ",
                problems);
        StageException.refuse(problems);
        boolean isWorthIt = estimate.seconds() > LONG_S
                || estimate.memoryBytes() > LARGE_BYTES
                || estimate.diskBytes() > LARGE_BYTES;
        return isWorthIt ? Optional.of(words(estimate)) : Optional.empty();
    }

    private static void space(
            String stage,
            String what,
            double bytes,
            Optional<Double> limit,
            double available,
            String key,
            String other,
            List<Problem> problems) {
        double max = limit.orElse(available);
        if (bytes > max) {
            String limitText = limit.isPresent() ? key + "=" + number(max / GIB) : "the available " + size(max);
            problems.add(problem(
                    stage, "about " + size(bytes) + " " + what, limitText, other + key + "=" + above(bytes / GIB)));
        }
    }

    private static Problem problem(String stage, String expected, String limit, String raise) {
        return Problem.of("limit exceeded", stage, "is expected to take " + expected)
                .note("limit", limit)
                .hint("reduce the request, or raise the limit: " + raise);
    }

    /** Returns a value of two digits, rounded up, so that the suggested limit is sufficient. */
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

    /** Uses small units for small sizes, so that the required and the available size are never displayed as equal. */
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
                : seconds < 2 * SECONDS_PER_HOUR
                        ? String.format(Locale.ROOT, "%.0f min", seconds / 60)
                        : String.format(Locale.ROOT, "%,.1f h", seconds / SECONDS_PER_HOUR);
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
