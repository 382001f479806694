package dev.stagesim.io.chakra;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * Writes an execution trace of schema 0.0.4 or 1.0.0, byte-identical to the reference: the metadata first, then the
 * nodes in the given order.
 */
public final class EtWriter implements Closeable {
    private static final int BUFFER = 1 << 16;

    private final OutputStream out;
    private final WireWriter wire;

    private EtWriter(OutputStream out, EtMetadata metadata) throws IOException {
        this.out = out;
        wire = new WireWriter(out);
        int begun = wire.begin();
        MetadataCodec.write(metadata, wire);
        wire.endMessage(begun);
    }

    /** Creates a file; a name that ends in {@code .gz} selects compression. */
    public static EtWriter create(Path file, EtMetadata metadata) throws IOException {
        OutputStream plain = Files.newOutputStream(file);
        return of(file.toString().endsWith(".gz") ? new GZIPOutputStream(plain, BUFFER) : plain, metadata);
    }

    /** Writes to a stream. Closing the writer closes the stream. */
    static EtWriter of(OutputStream out, EtMetadata metadata) throws IOException {
        return new EtWriter(out, metadata);
    }

    /** Returns the SHA-256 of a file with these nodes. */
    public static String digest(EtMetadata metadata, List<EtNode> nodes) throws IOException {
        Sha256 digest = new Sha256();
        try (EtWriter writer = of(digest.stream(), metadata)) {
            for (EtNode node : nodes) {
                writer.write(node);
            }
        }
        return digest.hex();
    }

    public void write(EtNode node) throws IOException {
        int begun = wire.begin();
        NodeWriter.write(node, wire);
        wire.endMessage(begun);
    }

    /** Writes the buffered bytes to the stream. */
    void flush() throws IOException {
        wire.flush();
    }

    @Override
    public void close() throws IOException {
        try (out) {
            wire.flush();
        }
    }
}
