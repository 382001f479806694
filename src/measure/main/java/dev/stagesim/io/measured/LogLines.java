package dev.stagesim.io.measured;

import dev.stagesim.io.gzip.InputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Lines of a text log without the prefixes that launchers and log collectors put before every line, such as {@code
 * [1,0]<stdout>:} of mpirun, {@code 0: } of srun, {@code node01: } of pdsh or a time stamp of kubectl.
 */
public final class LogLines {
    /** Prefixes that differ from line to line. Only a prefix of nearly all lines counts. */
    private static final List<Pattern> PREFIXES = List.of(
            // mpirun --tag-output, with --timestamp-output, and prterun
            Pattern.compile("[^\\[<>]{0,40}\\[[\\w.@,-]*\\d+,\\s*\\d+\\]\\s?<std(?:out|err)>:? ?"),
            // kubectl logs --timestamps and docker logs -t
            Pattern.compile(
                    "\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)?\\]?:? "),
            // kubectl logs --prefix, mpiexec -prepend-rank, torchrun
            Pattern.compile("\\[(?:pod/[\\w./-]+|\\d+|default\\d+|[\\w.-]+:\\d+)\\]:? ?"),
            // Ray
            Pattern.compile("\\([^()]*pid=\\d+[^()]*\\) ?"),
            // docker compose
            Pattern.compile("[\\w.-]+\\s*\\| ?"),
            // srun --label, pdsh and clush; not host:pid:thread of NCCL's own lines
            Pattern.compile(" *[\\w.-]+:(?: |$)"));

    /** Escape sequences of terminals, which log collectors write for the names of pods. */
    private static final Pattern COLOURS = Pattern.compile("\u001B\\[[0-9;]*m");

    private static final double NEARLY_ALL = 0.9;

    /** Maximum number of nested prefixes, for example from a log collector and a launcher. */
    private static final int MAX_PREFIXES = 4;

    private static final int MIN_COMMAS = 3;

    private static final Pattern JSON_START = Pattern.compile("\\s*(?:\\{\\s*(?:[\"}]|$)|\\[\\s*(?:[{\\[\"\\]]|$))");

    /** Marker that belongs to the format of a log and is not a prefix. */
    private static final String LOG_MARK = ":::";

    private LogLines() {}

    public static List<String> read(Path file) throws IOException {
        return withoutPrefixes(withPrefixes(file));
    }

    /** Returns the lines with their prefixes, but without colours. */
    public static List<String> withPrefixes(Path file) throws IOException {
        return withoutColours(InputFile.text(file));
    }

    static List<String> withoutColours(String text) {
        return COLOURS.matcher(text).replaceAll("").lines().toList();
    }

    /**
     * Returns the lines of a JSON or CSV result without prefixes, or empty if the lines have none. If a
     * launcher marks the streams, the lines of stderr become empty.
     */
    static Optional<List<String>> result(List<String> lines) {
        List<String> now = lines;
        boolean hasMarks = lines.stream().anyMatch(line -> line.contains("<stdout>"));
        if (hasMarks) {
            now = now.stream()
                    .map(line -> PREFIXES.get(0).matcher(line).lookingAt() && line.contains("<stderr>") ? "" : line)
                    .toList();
        }
        for (int round = 0; round < MAX_PREFIXES; round++) {
            String first =
                    now.stream().filter(line -> !line.isBlank()).findFirst().orElse("");
            List<String> before = now;
            Optional<List<String>> stripped = PREFIXES.stream()
                    .filter(prefix -> prefix.matcher(first).lookingAt() && isOnNearlyAll(before, prefix))
                    .findFirst()
                    .map(prefix -> without(before, prefix));
            if (stripped.isEmpty() && !isResult(first)) {
                String common = common(before).replaceFirst("[{\\[\"].*", "");
                stripped = common.isBlank() || common.contains(LOG_MARK)
                        ? Optional.empty()
                        : Optional.of(without(before, common));
            }
            if (stripped.isEmpty()) {
                return round > 0 && isResult(first) ? Optional.of(now) : Optional.empty();
            }
            now = stripped.get();
        }
        return Optional.empty();
    }

    /** True if a text begins with a prefix. */
    static boolean isPrefixed(String text) {
        return PREFIXES.stream().anyMatch(prefix -> prefix.matcher(text).lookingAt());
    }

    /** True for the first line of JSON, or of CSV with several columns. */
    private static boolean isResult(String first) {
        return JSON_START.matcher(first).lookingAt()
                || (first.chars().filter(c -> c == ',').count() >= MIN_COMMAS && !first.contains(": "));
    }

    /** Returns the lines without prefixes; the number of lines stays the same. */
    static List<String> withoutPrefixes(List<String> lines) {
        for (Pattern prefix : PREFIXES) {
            if (lines.size() > 1 && isOnNearlyAll(lines, prefix)) {
                return withoutPrefixes(without(lines, prefix));
            }
        }
        String common = common(lines);
        return common.isBlank() ? lines : withoutPrefixes(without(lines, common));
    }

    private static boolean isOnNearlyAll(List<String> lines, Pattern prefix) {
        long prefixed =
                lines.stream().filter(line -> prefix.matcher(line).lookingAt()).count();
        long filled = lines.stream().filter(line -> !line.isBlank()).count();
        return prefixed > 0 && prefixed >= NEARLY_ALL * filled;
    }

    private static List<String> without(List<String> lines, Pattern prefix) {
        return lines.stream()
                .map(line ->
                        prefix.matcher(line).lookingAt() ? prefix.matcher(line).replaceFirst("") : line)
                .toList();
    }

    private static List<String> without(List<String> lines, String prefix) {
        return lines.stream()
                .map(line -> line.startsWith(prefix) ? line.substring(prefix.length()) : line)
                .toList();
    }

    /** Returns the words at the start of all lines, such as the name of a pod; empty for fewer than three lines. */
    private static String common(List<String> lines) {
        List<String> filled = lines.stream().filter(line -> !line.isBlank()).toList();
        if (filled.size() < 3) {
            return "";
        }
        String common = filled.get(0);
        for (String line : filled) {
            while (!line.startsWith(common)) {
                common = common.substring(0, common.length() - 1);
            }
        }
        int end = Math.max(common.lastIndexOf(' '), Math.max(common.lastIndexOf(':'), common.lastIndexOf(']')));
        return common.substring(0, end + 1);
    }
}
