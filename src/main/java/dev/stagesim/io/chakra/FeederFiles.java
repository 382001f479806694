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
 * Opens traces as the reference's feeders read them, damaged ones included.
 *
 * <p>Both take the first message for metadata, whatever it is. The first feeder decompresses and ends quietly at a message that is
 * cut off or cannot be parsed. The third does not decompress, and takes a message that is cut off for what is left in
 * its buffer.
 */
public final class FeederFiles {
    private static final int LONGEST_VARINT = 5;

    private FeederFiles() {}

    /** A feeder that has read what it reads ahead; the file is closed at its end. */
    public static Feeder open(Path file, FeederVersion version) throws IOException {
        try {
            return version == FeederVersion.V1
                    ? version.over(file.toString(), new Quiet(Frames.open(file)))
                    : indexed(file);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static Feeder indexed(Path file) throws IOException {
        try (Stale source =
                new Stale(new BufferedInputStream(InputFile.raw(InputFile.regular(file))), file.toString())) {
            return new IndexFeeder(file.toString(), source);
        }
    }

    /**
     * Hands on nodes as the third feeder reads them; what one file leaves in the buffer is what the next one's last
     * message, when it is cut off, is completed with.
     */
    public static final class Sequence {
        private byte[] buffer = new byte[0];

        /** Hands on the nodes of the next file, in file order. */
        public void forEach(Path file, Consumer<EtNode> sink) throws IOException {
            forEach(new BufferedInputStream(InputFile.raw(InputFile.regular(file))), file.toString(), sink);
        }

        /** Hands on the nodes of the next file, whose content is given. */
        public void forEach(byte[] content, String name, Consumer<EtNode> sink) throws IOException {
            forEach(new ByteArrayInputStream(content), name, sink);
        }

        private void forEach(InputStream in, String name, Consumer<EtNode> sink) throws IOException {
            try (Stale source = new Stale(in, name)) {
                source.left = buffer;
                for (EtNode node = source.next(); node != null; node = source.next()) {
                    sink.accept(node);
                }
                buffer = source.buffer;
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }

    /** Ends where the file is damaged. */
    private static final class Quiet implements NodeSource {
        private final Frames frames;
        private final NameCache names = new NameCache();
        private boolean isOpen = true;

        Quiet(Frames frames) {
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

    /** Reads into one buffer and does not look how much it got. */
    private static final class Stale implements NodeSource, AutoCloseable {
        private final InputStream in;
        private final NameCache names = new NameCache();
        private byte[] buffer = new byte[0];
        private byte[] left = new byte[0];
        private boolean isOpen = true;

        Stale(InputStream stream, String name) throws IOException {
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
                if (next < 0 || shift >= 7 * LONGEST_VARINT) {
                    isOpen = false;
                    return false;
                }
                length |= (next & 0x7f) << shift;
                shift += 7;
            } while (next >= 0x80);
            // No more than the file holds can matter: the rest of the buffer is zero.
            int there = (int) Math.min(Integer.toUnsignedLong(length), (long) in.available() + buffer.length + 1);
            byte[] before = buffer.length < there && left.length >= there ? left : buffer;
            buffer = Arrays.copyOf(before, there);
            isOpen = in.readNBytes(buffer, 0, there) == there;
            return true;
        }

        @Override
        public @Nullable EtNode next() {
            try {
                return isOpen && message()
                        ? NodeReader.readBeginning(new MessageReader(buffer, buffer.length, names))
                        : null;
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
