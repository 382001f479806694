package dev.stagesim.io.chakra;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads an execution trace of schema 0.0.4 or 1.0.0 node by node. Memory is bounded by the largest message.
 *
 * <p>Gzip files are recognised by their first bytes. Fields unknown to the schema are preserved. Every defect of the
 * file is a {@link StageException} of kind input with the message number and the byte offset.
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
     * Opens a file like the reference's Python tools: the first message is always metadata, and an empty message or a
     * truncated length ends the file.
     */
    public static EtReader openAsPython(Path file) throws IOException {
        return of(Frames.open(file).asPython(), true);
    }

    /**
     * Reads from a stream. Closing the reader closes the stream.
     *
     * @param source name of the stream in messages
     */
    static EtReader of(InputStream in, String source) throws IOException {
        return of(Frames.of(in, source));
    }

    /** Reads the content of a file. The caller must not change the array while the reader is in use. */
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

    /** Metadata of the trace; empty if the file has none. */
    EtMetadata metadata() {
        return metadata;
    }

    /** True if the file begins with metadata, as required; also false for an empty file. */
    public boolean hasMetadata() {
        return hasMetadata;
    }

    /** Fails unless the file is empty or begins with metadata. */
    void requireMetadata() {
        if (ahead != null) {
            throw frames.broken("a node, but the first message must be the metadata of the trace");
        }
    }

    /** Returns the next node in file order, or null at the end of the file. */
    public @Nullable EtNode next() throws IOException {
        EtNode first = ahead;
        if (first != null) {
            ahead = null;
            return first;
        }
        return frames.next() ? node() : null;
    }

    /** Passes on all nodes that were not read yet, in file order. Nodes equal to those of the last file are shared. */
    public <T> void forEach(NodeMemo<T> memo, Consumer<T> sink) throws IOException {
        int position = 0;
        if (ahead != null) {
            sink.accept(memo.convert(ahead));
            ahead = null;
            position++;
        }
        for (; frames.next(); position++) {
            sink.accept(memo.convert(position, frames.message(), frames.messageLength(), this::node));
        }
    }

    /** True unless the first message has a field encoding that only nodes use and parses as a node. */
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
