package dev.stagesim.io.measured;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Opens JSON and CSV results without the line prefixes of launchers. Formats that tools may print to their output read
 * files through this class. Line numbers are those of the file.
 */
public final class ResultFile {
    private ResultFile() {}

    /** Opens the content, decompressed and without prefixes. */
    static InputStream open(Path file) throws IOException {
        Optional<InputStream> content = withoutPrefixes(file);
        return content.isPresent() ? content.get() : FormatProbe.open(file);
    }

    /** Returns the content without prefixes; empty if the lines have none. */
    private static Optional<InputStream> withoutPrefixes(Path file) throws IOException {
        if (LogLines.result(head(file)).isEmpty()) {
            return Optional.empty();
        }
        String text =
                String.join("\n", LogLines.result(LogLines.withPrefixes(file)).orElseThrow());
        return Optional.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the complete lines at the beginning, as far as they can be decompressed. */
    private static List<String> head(Path file) throws IOException {
        try (InputStream in = FormatProbe.open(file)) {
            byte[] head = FormatProbe.head(in);
            List<String> lines = LogLines.withoutColours(new String(head, StandardCharsets.UTF_8));
            return head.length < FormatProbe.HEAD_BYTES || lines.size() < 2
                    ? lines
                    : lines.subList(0, lines.size() - 1);
        }
    }

    public static JsonDocuments stream(Path file) throws IOException {
        return Json.stream(open(file), file.toString(), JsonMode.NON_FINITE);
    }

    /** Reads all values of a file. */
    public static List<LocatedJson> documents(Path file) throws IOException {
        try (JsonDocuments documents = stream(file)) {
            return documents.rest();
        }
    }

    /** Reads the only value of a file. */
    public static LocatedJson document(Path file) throws IOException {
        try (JsonDocuments documents = stream(file)) {
            return documents.single();
        }
    }

    public static LooseTable table(Path file) throws IOException {
        Optional<InputStream> content = withoutPrefixes(file);
        return content.isPresent() ? LooseTable.read(file, content.get()) : LooseTable.read(file);
    }
}
