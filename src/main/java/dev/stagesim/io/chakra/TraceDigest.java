package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import org.apache.commons.codec.digest.MurmurHash3;

/**
 * A digest of a trace that does not depend on where its ids begin: two traces with the same one are the same work, node
 * by node, with ids shifted by the difference of their first ids.
 *
 * <p>A file that cannot be read to its end has the digest of its bytes. Bounded memory; nothing is decoded but ids.
 *
 * @param firstId id of the first node; 0 for a file that cannot be read
 */
public record TraceDigest(String digest, long firstId) {
    private static final int PIECE = 1 << 16;
    private static final long MOST = 1L << 62;
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
            return new TraceDigest(bytes(new ByteArrayInputStream(content)), 0);
        }
    }

    private static String bytes(InputStream stream) throws IOException {
        Sha256 digest = new Sha256();
        try (InputStream in = stream) {
            byte[] buffer = new byte[PIECE];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, count);
            }
        }
        return "bytes " + digest.hex();
    }

    /** 128 bits of what is added, a piece at a time: no secret depends on it, and without the optimising compiler SHA-256 takes ten times as long. */
    private static final class Mix {
        private static final int SIZE = 2 * Long.BYTES;

        /** Little, because traces are small by the thousand. */
        private final byte[] piece = new byte[1 << 12];

        private final ByteBuffer at = ByteBuffer.wrap(piece);
        private long total;

        void number(int kind, long value) {
            if (at.remaining() <= Long.BYTES) {
                close();
            }
            at.put((byte) kind).putLong(value);
        }

        void bytes(byte[] bytes, int from, int length) {
            for (int done = 0, some; done < length; done += some) {
                if (!at.hasRemaining()) {
                    close();
                }
                some = Math.min(length - done, at.remaining());
                at.put(bytes, from + done, some);
            }
        }

        /** The piece's mix stands before the next piece. */
        private void close() {
            total += at.position();
            long[] its = MurmurHash3.hash128x64(piece, 0, at.position(), 0);
            at.clear();
            at.putLong(its[0]).putLong(its[1]);
        }

        String hex() {
            number(0, total + at.position());
            close();
            return HexFormat.of().formatHex(piece, 0, SIZE);
        }
    }

    /** Goes through the messages of one file. */
    private static final class Reader {
        private final Frames frames;
        private final Mix digest = new Mix();
        private long first;
        private boolean hasFirst;

        Reader(Frames frames) {
            this.frames = frames;
        }

        TraceDigest read() throws IOException {
            if (frames.next()) {
                digest.number(0, frames.messageLength());
                digest.bytes(frames.message(), 0, frames.messageLength());
            }
            while (frames.next()) {
                node();
            }
            return new TraceDigest(digest.hex(), first);
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
                    digest.number(2, in.getTotalBytesRead() - start);
                    digest.bytes(bytes, start, in.getTotalBytesRead() - start);
                }
                start = in.getTotalBytesRead();
            }
            digest.number(1, relative(id));
        }

        /** The node's id, which may stand anywhere; the last one counts. */
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
                digest.number(field, relative(in.readUInt64()));
                return;
            }
            int outer = in.pushLimit(in.readRawVarint32());
            while (in.getBytesUntilLimit() > 0) {
                digest.number(field, relative(in.readUInt64()));
            }
            in.popLimit(outer);
        }

        /** Distance from the first id; the order of ids is that of distances as long as none is huge. */
        private long relative(long id) throws IOException {
            if (id < 0 || id > MOST) {
                throw new IOException("an id beyond 2^62");
            }
            return id - first;
        }
    }
}
