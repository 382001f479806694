package dev.stagesim.io.chakra;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads an execution trace of schema 0.0.4 or 1.0.0 node by node, in memory bounded by its largest message.
 *
 * <p>Files compressed by gzip are recognised by their first bytes. Fields that the schema does not name are kept.
 * Everything that is wrong with the file is a {@link StageException} of kind input that names the message and the byte.
 */
public final class EtReader implements Closeable {
    private final Frames frames;
    private final NameCache names = new NameCache();
    private final EtMetadata metadata;
    private final boolean hasMetadata;
    private @Nullable EtNode ahead;

    private EtReader(Frames frames, boolean isPython) throws IOException {
        this.frames = frames;
        boolean isThere = frames.next();
        hasMetadata = isThere && (isPython || beginsWithMetadata());
        metadata = hasMetadata ? readMetadata() : EtMetadata.EMPTY;
        ahead = isThere && !hasMetadata ? node() : null;
    }

    public static EtReader open(Path file) throws IOException {
        return of(Frames.open(file));
    }

    /**
     * Opens a file as the reference's Python tools do: the first message is metadata whatever it is, and an empty message or
     * a length that is cut off ends the file.
     */
    public static EtReader openAsPython(Path file) throws IOException {
        return of(Frames.open(file).asPython(), true);
    }

    /**
     * Reads from a stream, which is closed with the reader.
     *
     * @param source what messages call the stream
     */
    public static EtReader of(InputStream in, String source) throws IOException {
        return of(Frames.of(in, source));
    }

    /** Reads a file's content, which must not change meanwhile. */
    public static EtReader of(byte[] content, String source) throws IOException {
        return of(Frames.of(content, source));
    }

    private static EtReader of(Frames frames) throws IOException {
        return of(frames, false);
    }

    private static EtReader of(Frames frames, boolean isPython) throws IOException {
        try {
            return new EtReader(frames, isPython);
        } catch (IOException | RuntimeException e) {
            frames.close();
            throw e;
        }
    }

    /** The first message; empty where the file lacks it. */
    public EtMetadata metadata() {
        return metadata;
    }

    /** Whether the file begins with metadata, as it ought to; false for an empty file, too. */
    public boolean hasMetadata() {
        return hasMetadata;
    }

    /** Does nothing when the file begins with metadata or is empty. */
    public void requireMetadata() {
        if (ahead != null) {
            throw frames.broken("a node, where the metadata of the trace ought to be");
        }
    }

    /** The next node in file order, or null at the end of the file. */
    public @Nullable EtNode next() throws IOException {
        EtNode first = ahead;
        if (first != null) {
            ahead = null;
            return first;
        }
        return frames.next() ? node() : null;
    }

    /** A message is a node when a field has the form that only nodes give it, and reads as one. */
    private boolean beginsWithMetadata() {
        try {
            EtNode node = NodeReader.read(message());
            return node.id() == 0
                    && node.typeNumber() == 0
                    && node.startTimeMicros() == 0
                    && node.durationMicros() == 0
                    && node.ctrlDeps().length + node.dataDeps().length == 0
                    && isMetadata();
        } catch (IOException notANode) {
            return true;
        }
    }

    private boolean isMetadata() {
        try {
            MetadataCodec.read(message());
            return true;
        } catch (IOException notMetadata) {
            return false;
        }
    }

    private EtMetadata readMetadata() throws IOException {
        MessageReader message = message();
        try {
            return MetadataCodec.read(message);
        } catch (InvalidProtocolBufferException damaged) {
            throw frames.broken(message.position(), "no metadata: " + Values.reason(damaged));
        }
    }

    private EtNode node() throws IOException {
        MessageReader message = message();
        try {
            return NodeReader.read(message);
        } catch (InvalidProtocolBufferException damaged) {
            throw frames.broken(message.position(), "no node: " + Values.reason(damaged));
        }
    }

    private MessageReader message() {
        return new MessageReader(frames.message(), frames.messageLength(), names);
    }

    @Override
    public void close() throws IOException {
        frames.close();
    }
}
