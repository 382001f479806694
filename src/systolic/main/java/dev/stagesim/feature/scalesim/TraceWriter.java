package dev.stagesim.feature.scalesim;

import dev.stagesim.sim.systolic.TraceFile;
import dev.stagesim.sim.systolic.TraceSink;
import dev.stagesim.sim.systolic.Traces;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerShape;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** Writes a layer's trace lines to files as they are produced. */
final class TraceWriter implements TraceSink, Closeable {
    private final Map<TraceFile, BufferedWriter> files = new EnumMap<>(TraceFile.class);

    private TraceWriter(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (TraceFile file : TraceFile.values()) {
            files.put(file, Files.newBufferedWriter(folder.resolve(file.fileName()), StandardCharsets.UTF_8));
        }
    }

    static void write(ArraySpec array, LayerShape layer, Path folder) throws IOException {
        try (TraceWriter writer = new TraceWriter(folder)) {
            Traces.write(array, layer, writer);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    @Override
    public void line(TraceFile file, CharSequence line) {
        BufferedWriter out = files.get(file);
        if (out == null) {
            throw new IllegalStateException("no file for " + file);
        }
        try {
            out.append(line).append('\n');
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() throws IOException {
        for (BufferedWriter out : files.values()) {
            out.close();
        }
    }
}
