package dev.stagesim.cli;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a command's result goes: a file, or stdout in large pieces. */
final class ResultStream {
    private static final int BUFFER = 1 << 16;

    private ResultStream() {}

    /** A stream to the file, or to stdout where none is given; to be closed. */
    static OutputStream open(Console console, @Nullable Path file) throws IOException {
        return new BufferedOutputStream(file == null ? kept(console.out()) : Files.newOutputStream(file), BUFFER);
    }

    /** The same for text in UTF-8. */
    static Writer writer(Console console, @Nullable Path file) throws IOException {
        return new OutputStreamWriter(open(console, file), StandardCharsets.UTF_8);
    }

    /** Stdout outlives the command. */
    private static OutputStream kept(PrintStream out) {
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
