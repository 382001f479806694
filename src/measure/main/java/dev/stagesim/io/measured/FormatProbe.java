package dev.stagesim.io.measured;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.gzip.MaybeGzip;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipException;

/**
 * The beginning of a file or directory. Formats recognise their files by this content, not by the name.
 *
 * @param head the first 64 KiB of a file as text, decompressed; empty for a directory
 * @param first the first JSON value of a file of moderate size
 * @param broken problems of a file that begins like JSON and is not valid JSON
 */
public record FormatProbe(Path path, String head, Optional<LocatedJson> first, List<Problem> broken) {
    static final int HEAD_BYTES = 1 << 16;

    /** Maximum size of a parsed document. Larger documents are traces, which the beginning identifies. */
    private static final long MAX_PARSED_BYTES = 256L << 20;
    /** Maximum size of a compressed document. Decompressed it is about ten times larger. */
    private static final long MAX_COMPRESSED_BYTES = 32L << 20;

    public static FormatProbe at(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            return new FormatProbe(path, "", Optional.empty(), List.of());
        }
        boolean isPacked;
        try (InputStream raw = InputFile.raw(InputFile.regular(path))) {
            isPacked = MaybeGzip.of(raw).compressed();
        }
        try (InputStream in = ResultFile.open(path)) {
            String head = new String(head(in), StandardCharsets.UTF_8);
            head = head.startsWith("\uFEFF") ? head.substring(1) : head;
            String begin = head.stripLeading();
            boolean json = begin.startsWith("{") || (begin.startsWith("[") && !LogLines.isPrefixed(begin));
            boolean trace = head.contains("\"traceEvents\"");
            boolean parse = json && !trace && Files.size(path) <= (isPacked ? MAX_COMPRESSED_BYTES : MAX_PARSED_BYTES);
            return parse ? json(path, head) : new FormatProbe(path, head, Optional.empty(), List.of());
        } catch (EOFException | ZipException e) {
            throw damaged(path, e);
        }
    }

    /** Returns the error for a file that cannot be decompressed. */
    public static StageException damaged(Path path, IOException cause) {
        return StageException.input(
                Problem.artifact(path.toString(), "the file is truncated, or its compression is damaged"), cause);
    }

    /** Reads the beginning, as far as it is complete: compressed content may be truncated. */
    static byte[] head(InputStream in) throws IOException {
        byte[] bytes = new byte[HEAD_BYTES];
        int size = 0;
        try {
            for (int n = 0; n >= 0 && size < bytes.length; n = in.read(bytes, size, bytes.length - size)) {
                size += n;
            }
        } catch (EOFException cut) {
            // the bytes decompressed so far are the head
        }
        return Arrays.copyOf(bytes, size);
    }

    /** Opens a file and decompresses it. Truncated gzip content causes an exception when its end is read. */
    public static InputStream open(Path path) throws IOException {
        return MaybeGzip.of(InputFile.raw(InputFile.regular(path))).in();
    }

    private static FormatProbe json(Path path, String head) throws IOException {
        try (JsonDocuments documents = ResultFile.stream(path)) {
            return new FormatProbe(path, head, documents.next(), List.of());
        } catch (StageException e) {
            return new FormatProbe(path, head, Optional.empty(), e.problems());
        }
    }

    public boolean isDirectory() {
        return Files.isDirectory(path);
    }

    public boolean holds(String file) {
        return Files.isRegularFile(path.resolve(file));
    }

    /** True if the first value is an object with all these members. */
    public boolean hasMembers(String... names) {
        return first.filter(LocatedJson::isObject)
                .filter(at -> List.of(names).stream().allMatch(at::has))
                .isPresent();
    }

    /** True if the file is an array that begins with an object with all these members. */
    public boolean hasItems(String... names) {
        return first.filter(LocatedJson::isArray).map(LocatedJson::items).orElse(List.of()).stream()
                .limit(1)
                .anyMatch(item -> item.isObject() && List.of(names).stream().allMatch(item::has));
    }

    /** Returns the fields of the first line as a CSV header without quotes. */
    public List<String> header() {
        int end = head.indexOf('\n');
        String line = end < 0 ? head : head.substring(0, end);
        return List.of(line.replace("\"", "").strip().split("\\s*,\\s*"));
    }

    public boolean hasColumns(String... names) {
        return header().containsAll(List.of(names));
    }
}
