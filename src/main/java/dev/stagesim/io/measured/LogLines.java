package dev.stagesim.io.measured;

import dev.stagesim.io.gzip.InputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Lines of a text log without the prefixes that launchers and log collectors put before every line, such as {@code
 * [1,0]<stdout>:} of mpirun, {@code 0: } of srun, {@code node01: } of pdsh or a time stamp of kubectl.
 */
final class LogLines {
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

    private LogLines() {}

    static List<String> read(Path file) throws IOException {
        return withoutPrefixes(withPrefixes(file));
    }

    /** Returns the lines with their prefixes, but without colours. */
    static List<String> withPrefixes(Path file) throws IOException {
        return COLOURS.matcher(InputFile.text(file)).replaceAll("").lines().toList();
    }

    /** Returns the lines without prefixes; the number of lines stays the same. */
    static List<String> withoutPrefixes(List<String> lines) {
        for (Pattern prefix : PREFIXES) {
            long prefixed = count(lines, prefix);
            long filled = lines.stream().filter(line -> !line.isBlank()).count();
            if (prefixed > 1 && prefixed >= NEARLY_ALL * filled) {
                return withoutPrefixes(lines.stream()
                        .map(line -> prefix.matcher(line).lookingAt()
                                ? prefix.matcher(line).replaceFirst("")
                                : line)
                        .toList());
            }
        }
        String common = common(lines);
        return common.isBlank()
                ? lines
                : withoutPrefixes(lines.stream()
                        .map(line -> line.startsWith(common) ? line.substring(common.length()) : line)
                        .toList());
    }

    private static long count(List<String> lines, Pattern prefix) {
        return lines.stream().filter(line -> prefix.matcher(line).lookingAt()).count();
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
