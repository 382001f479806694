package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.gzip.MaybeGzip;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Digest of a trace that is independent of its first node id. Two traces with equal digests contain the same nodes,
 * with ids shifted by the difference of their first ids.
 *
 * <p>For a file that cannot be read completely, the digest covers its bytes. Uses bounded memory; only ids are decoded.
 *
 * @param firstId id of the first node; 0 for an unreadable file
 */
public record TraceDigest(String digest, long firstId) {
    private static final int PIECE = 1 << 16;
    private static final long MAX_ID_DISTANCE = 1L << 62;
    private static final int ID = NodeWriter.ID << 3 | WireFormat.WIRETYPE_VARINT;

    public static TraceDigest of(Path file) throws IOException {
        try (Frames frames = Frames.open(file)) {
            return new Reader(frames).read();
        } catch (StageException | IOException damaged) {
            return new TraceDigest(bytes(InputFile.raw(InputFile.regular(file))), 0);
        }
    }

    public static TraceDigest of(byte[] content) throws IOException {
        try (Frames frames = Frames.of(content, "trace")) {
            return new Reader(frames).read();
        } catch (StageException | IOException damaged) {
            return ofBytes(content, 0);
        }
    }

    /** Returns the id of the first node, or empty if the content is compressed or has no readable node. */
    public static OptionalLong firstId(byte[] content) {
        if (MaybeGzip.isPacked(content)) {
            return OptionalLong.empty();
        }
        try (Frames frames = Frames.of(content, "trace")) {
            boolean hasMetadata = frames.next();
            return hasMetadata && frames.next()
                    ? OptionalLong.of(Reader.id(frames.message(), frames.messageLength()))
                    : OptionalLong.empty();
        } catch (StageException | IOException damaged) {
            return OptionalLong.empty();
        }
    }

    /** Returns the digest of the bytes of a file with this first id. It takes a fraction of the time of {@link #of(byte[])}. */
    public static TraceDigest ofBytes(byte[] content, long firstId) {
        Sha256 digest = new Sha256();
        digest.update(content);
        return new TraceDigest("bytes " + digest.hex(), firstId);
    }

    private static String bytes(InputStream stream) throws IOException {
        Sha256 digest = new Sha256();
        try (InputStream in = stream) {
            byte[] buffer = new byte[PIECE];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
        }
        return "bytes " + digest.hex();
    }

    /** Digest of numbers and bytes. */
    private static final class Content {
        private final Sha256 digest = new Sha256();
        private final ByteBuffer number = ByteBuffer.allocate(1 + Long.BYTES);

        void number(int kind, long value) {
            digest.update(number.clear().put((byte) kind).putLong(value).array());
        }

        void bytes(byte[] bytes, int from, int length) {
            digest.update(bytes, from, length);
        }
    }

    /** Reads the messages of one file. */
    private static final class Reader {
        private final Frames frames;
        private final Content content = new Content();
        private long first;
        private boolean hasFirst;

        Reader(Frames frames) {
            this.frames = frames;
        }

        TraceDigest read() throws IOException {
            if (frames.next()) {
                content.number(0, frames.messageLength());
                content.bytes(frames.message(), 0, frames.messageLength());
            }
            while (frames.next()) {
                node();
            }
            return new TraceDigest(content.digest.hex(), first);
        }

        private void node() throws IOException {
            byte[] bytes = frames.message();
            int length = frames.messageLength();
            if (!hasFirst) {
                first = id(bytes, length);
                hasFirst = true;
            }
            CodedInputStream in = CodedInputStream.newInstance(bytes, 0, length);
            long id = 0;
            int start = 0;
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                int field = WireFormat.getTagFieldNumber(tag);
                if (tag == ID) {
                    id = in.readUInt64();
                } else if (field == NodeWriter.CTRL_DEPS || field == NodeWriter.DATA_DEPS) {
                    dependencies(in, tag, field);
                } else {
                    in.skipField(tag);
                    content.number(2, in.getTotalBytesRead() - start);
                    content.bytes(bytes, start, in.getTotalBytesRead() - start);
                }
                start = in.getTotalBytesRead();
            }
            content.number(1, relative(id));
        }

        /** Finds the node's id, which may be anywhere in the message; the last occurrence counts. */
        private static long id(byte[] bytes, int length) throws IOException {
            CodedInputStream in = CodedInputStream.newInstance(bytes, 0, length);
            long id = 0;
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (tag == ID) {
                    id = in.readUInt64();
                } else {
                    in.skipField(tag);
                }
            }
            return id;
        }

        private void dependencies(CodedInputStream in, int tag, int field) throws IOException {
            if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_VARINT) {
                content.number(field, relative(in.readUInt64()));
                return;
            }
            int outer = in.pushLimit(in.readRawVarint32());
            while (in.getBytesUntilLimit() > 0) {
                content.number(field, relative(in.readUInt64()));
            }
            in.popLimit(outer);
        }

        /** Returns the distance from the first id. Distances have the same order as ids if no id exceeds 2^62. */
        private long relative(long id) throws IOException {
            if (id < 0 || id > MAX_ID_DISTANCE) {
                throw new IOException("an id beyond 2^62");
            }
            return id - first;
        }
    }
}
