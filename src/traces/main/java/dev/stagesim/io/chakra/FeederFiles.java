package dev.stagesim.io.chakra;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.feed.Feeder;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.sim.trace.feed.IndexFeeder;
import dev.stagesim.sim.trace.feed.NodeSource;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens traces like the reference's feeders, including damaged traces.
 *
 * <p>Both feeders treat the first message as metadata, independent of its content. Version 1 decompresses files and silently
 * stops at a truncated or invalid message. Version 3 does not decompress files; it completes a truncated message with
 * old bytes from its buffer.
 */
public final class FeederFiles {
    private static final int MAX_VARINT_BYTES = 5;

    private FeederFiles() {}

    /** Opens a feeder and fills its read-ahead window; the file is closed at its end. */
    public static Feeder open(Path file, FeederVersion version) throws IOException {
        try {
            return version == FeederVersion.V1
                    ? version.over(file.toString(), new LenientSource(Frames.open(file)))
                    : indexed(file);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static Feeder indexed(Path file) throws IOException {
        try (StaleBufferSource source = new StaleBufferSource(
                new BufferedInputStream(InputFile.raw(InputFile.regular(file))), file.toString())) {
            return new IndexFeeder(file.toString(), source);
        }
    }

    /**
     * Passes on nodes like feeder version 3. The buffer persists between files: bytes from one file complete a
     * truncated last message of the next.
     *
     * @param <T> the converted node
     */
    public static final class Sequence<T> {
        private final NodeMemo<T> memo;
        private byte[] buffer = new byte[0];

        public Sequence(NodeMemo<T> memo) {
            this.memo = memo;
        }

        /** Passes on the nodes of the next file in file order. */
        public void forEach(Path file, Consumer<T> sink) throws IOException {
            InputStream in = new BufferedInputStream(InputFile.raw(InputFile.regular(file)));
            forEach(in, file.toString(), (position, source) -> memo.convert(source.node()), sink);
        }

        /** Passes on the nodes of the next file, given its content. Nodes equal to those of the last file are shared. */
        public void forEach(byte[] content, String name, Consumer<T> sink) throws IOException {
            forEach(
                    new ByteArrayInputStream(content),
                    name,
                    (position, source) -> memo.convert(position, source.buffer, source.buffer.length, source::node),
                    sink);
        }

        /** Converts the current message of a source. */
        private interface Conversion<T> {
            T of(int position, StaleBufferSource source) throws IOException;
        }

        private void forEach(InputStream in, String name, Conversion<T> conversion, Consumer<T> sink)
                throws IOException {
            try (StaleBufferSource source = new StaleBufferSource(in, name)) {
                source.left = buffer;
                for (int position = 0; source.advance(); position++) {
                    sink.accept(conversion.of(position, source));
                }
                buffer = source.buffer;
            }
        }
    }

    /** Stops silently where the file is damaged. */
    private static final class LenientSource implements NodeSource {
        private final Frames frames;
        private final NameCache names = new NameCache();
        private boolean isOpen = true;

        LenientSource(Frames frames) {
            this.frames = frames;
            advance();
        }

        private boolean advance() {
            try {
                isOpen = isOpen && frames.next();
            } catch (StageException damaged) {
                isOpen = false;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return isOpen;
        }

        @Override
        public @Nullable EtNode next() {
            EtNode node = null;
            try {
                if (advance()) {
                    node = NodeReader.read(new MessageReader(frames.message(), frames.messageLength(), names));
                } else {
                    frames.close();
                }
            } catch (IOException damaged) {
                isOpen = false;
            }
            return node;
        }
    }

    /** Reads into a persistent buffer and ignores the number of bytes read. */
    private static final class StaleBufferSource implements NodeSource, AutoCloseable {
        private final InputStream in;
        private final NameCache names = new NameCache();
        private byte[] buffer = new byte[0];
        private byte[] left = new byte[0];
        private boolean isOpen = true;

        StaleBufferSource(InputStream stream, String name) throws IOException {
            in = stream;
            if (!message()) {
                in.close();
                throw Frames.of(InputStream.nullInputStream(), name).broken("there are no global metadata");
            }
        }

        private boolean message() throws IOException {
            int length = 0;
            int shift = 0;
            int next;
            do {
                next = in.read();
                if (next < 0 || shift >= 7 * MAX_VARINT_BYTES) {
                    isOpen = false;
                    return false;
                }
                length |= (next & 0x7f) << shift;
                shift += 7;
            } while (next >= 0x80);
            // Limit the length to the bytes in the file: the rest of the buffer is zero.
            int there = (int) Math.min(Integer.toUnsignedLong(length), (long) in.available() + buffer.length + 1);
            byte[] before = buffer.length < there && left.length >= there ? left : buffer;
            buffer = Arrays.copyOf(before, there);
            isOpen = in.readNBytes(buffer, 0, there) == there;
            return true;
        }

        private boolean advance() throws IOException {
            return isOpen && message();
        }

        private EtNode node() throws IOException {
            return NodeReader.readBeginning(new MessageReader(buffer, buffer.length, names));
        }

        @Override
        public @Nullable EtNode next() {
            try {
                return advance() ? node() : null;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
