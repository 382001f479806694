package dev.stagesim.verify.fidelity.kernels;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * The newest version of each engine on each device in a table.
 *
 * @param versions by device and engine
 */
record NewestVersions(Map<String, String> versions) {
    private static final String CANDIDATE = "rc";

    /** Order of versions. A release is newer than its candidates. */
    private static final Comparator<String> ORDER = Comparator.comparing(
                    (String version) -> numbers(version.split(CANDIDATE, 2)[0]), Arrays::compare)
            .thenComparing(version -> !version.contains(CANDIDATE))
            .thenComparing(NewestVersions::numbers, Arrays::compare);

    /** Reads the versions of a table. */
    static NewestVersions of(Path file, KernelTable table) throws IOException {
        Map<String, String> newest = new HashMap<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            lines.lines()
                    .skip(1)
                    .map(line -> line.split(",", -1))
                    .filter(cells -> cells.length == table.width())
                    .flatMap(cells -> table.rows(cells).stream())
                    .filter(NewestVersions::isLimited)
                    .forEach(row -> newest.merge(key(row), row.text("version"), NewestVersions::newer));
        }
        return new NewestVersions(newest);
    }

    /** True if the table has a newer version of a row's engine on its device. */
    boolean isOlder(KernelTable.Row row) {
        return isLimited(row) && !row.text("version").equals(versions.get(key(row)));
    }

    private static boolean isLimited(KernelTable.Row row) {
        return row.kind().isNewestOnly() && row.has("version");
    }

    private static String key(KernelTable.Row row) {
        return row.device() + " " + row.text("engine");
    }

    private static String newer(String one, String other) {
        return ORDER.compare(one, other) >= 0 ? one : other;
    }

    /** True if a version is {@code first} or newer. */
    static boolean isSince(String version, String first) {
        return newer(version, first).equals(version);
    }

    private static int[] numbers(String version) {
        return Arrays.stream(version.split("\\D+", -1))
                .filter(part -> !part.isEmpty() && part.length() < 9)
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
