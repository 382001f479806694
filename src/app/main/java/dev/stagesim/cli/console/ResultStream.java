package dev.stagesim.cli.console;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The destination of a command's result: a file that is written atomically, or buffered stdout. */
public final class ResultStream {
    private static final int BUFFER = 1 << 16;

    private ResultStream() {}

    /** Writes the result. */
    @FunctionalInterface
    public interface Body<T> {
        void write(T out) throws IOException;
    }

    /** Returns a stream to stdout, which the caller closes. */
    public static OutputStream open(Console console) {
        return new BufferedOutputStream(unclosed(console.out()), BUFFER);
    }

    /** Returns a writer of UTF-8 text to stdout. */
    public static Writer writer(Console console) {
        return new OutputStreamWriter(open(console), StandardCharsets.UTF_8);
    }

    /**
     * Writes to a file, or to stdout if no file is given. An existing file is replaced only after everything has been written,
     * and stays unchanged on failure.
     *
     * @param inputs files that the result depends on
     * @throws StageException of kind input if the file is one of the inputs, or its directory is missing
     */
    static void bytes(Console console, @Nullable Path file, Collection<Path> inputs, Body<OutputStream> body)
            throws IOException {
        if (file == null) {
            write(open(console), body);
            return;
        }
        refuse(file, inputs);
        if (Files.exists(file) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            // A device, a pipe or a link must not be replaced by a file.
            write(new BufferedOutputStream(Files.newOutputStream(file), BUFFER), body);
            return;
        }
        Path part = file.resolveSibling("." + file.getFileName() + ".part");
        try {
            write(new BufferedOutputStream(Files.newOutputStream(part), BUFFER), body);
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Like {@link #bytes}, for UTF-8 text. */
    public static void text(Console console, @Nullable Path file, Collection<Path> inputs, Body<Writer> body)
            throws IOException {
        bytes(console, file, inputs, out -> {
            Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
            body.write(writer);
            writer.flush();
        });
    }

    private static void write(OutputStream to, Body<OutputStream> body) throws IOException {
        try (OutputStream out = to) {
            body.write(out);
        }
    }

    private static void refuse(Path file, Collection<Path> inputs) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw wrong(file, "there is no directory " + folder);
        }
        if (Files.isDirectory(file)) {
            throw wrong(file, "is a directory");
        }
        for (Path input : inputs) {
            if (Files.exists(file) && Files.exists(input) && Files.isSameFile(file, input)) {
                throw wrong(file, "is an input and would be overwritten");
            }
        }
    }

    private static StageException wrong(Path file, String what) {
        return StageException.input(Problem.usage("--output " + file, what));
    }

    /** Returns a stream that flushes stdout but does not close it. */
    private static OutputStream unclosed(PrintStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int from, int count) throws IOException {
                out.write(bytes, from, count);
            }

            @Override
            public void close() throws IOException {
                out.flush();
            }
        };
    }
}
