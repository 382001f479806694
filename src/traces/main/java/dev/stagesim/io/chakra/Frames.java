package dev.stagesim.io.chakra;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.gzip.MaybeGzip;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipException;

/**
 * Container format of a trace: each message follows its length, a base-128 varint.
 *
 * <p>Keeps one message at a time in a buffer that grows only with bytes actually read, so a corrupt length does not
 * allocate memory. Offsets count bytes after decompression.
 */
final class Frames implements Closeable {
    private static final int CHUNK = 1 << 16;
    private static final int VARINT_BITS = 63;

    private final InputStream in;
    private final String source;
    private final boolean isCompressed;
    private final byte[] input;
    private int position;
    private int limit;
    private long before;
    private byte[] message = new byte[256];
    private int length;
    private long index = -1;
    private long start;
    private boolean isPython;

    private Frames(InputStream in, byte[] input, String source, boolean isCompressed) {
        this.in = in;
        this.input = input;
        this.source = source;
        this.isCompressed = isCompressed;
    }

    /**
     * Selects the end-of-file rules of the reference's Python tools: an empty message, or a truncated or oversized
     * length, ends the file. A truncated message consists of the available bytes.
     */
    Frames asPython() {
        isPython = true;
        return this;
    }

    /** Opens a file; decompresses it if it begins with the gzip signature. */
    static Frames open(Path file) throws IOException {
        try {
            return of(InputFile.raw(InputFile.regular(file)), file.toString());
        } catch (NoSuchFileException missing) {
            throw StageException.input(Problem.trace(file.toString(), "there is no such file"), missing);
        }
    }

    /** Reads the content of a file. The caller must not change the array while it is in use. */
    static Frames of(byte[] content, String source) throws IOException {
        if (MaybeGzip.isPacked(content)) {
            return of(new ByteArrayInputStream(content), source);
        }
        Frames frames = new Frames(InputStream.nullInputStream(), content, source, false);
        frames.limit = content.length;
        return frames;
    }

    static Frames of(InputStream stream, String source) throws IOException {
        try {
            MaybeGzip content = MaybeGzip.of(stream);
            return new Frames(content.in(), new byte[CHUNK], source, content.compressed());
        } catch (EOFException | ZipException broken) {
            throw StageException.input(
                    Problem.trace(source, "the gzip header is damaged: " + broken.getMessage()), broken);
        }
    }

    /**
     * Advances to the next message.
     *
     * @return false at the end of the file
     */
    boolean next() throws IOException {
        start = before + position;
        if (position == limit && !fill()) {
            return false;
        }
        index++;
        length = length();
        if (length == 0 && isPython) {
            return false;
        }
        start = before + position;
        if (message.length < length) {
            message = new byte[Math.min(length, Math.max(2 * message.length, CHUNK))];
        }
        int done = 0;
        while (done < length) {
            if (position == limit && !fill()) {
                if (isPython) {
                    length = done;
                    break;
                }
                throw broken("the file ends after " + done + " of the message's " + length + " bytes");
            }
            int count = Math.min(length - done, limit - position);
            if (done + count > message.length) {
                message = Arrays.copyOf(message, (int) Math.min(length, Math.max(2L * message.length, done + count)));
            }
            System.arraycopy(input, position, message, done, count);
            position += count;
            done += count;
        }
        return true;
    }

    private int length() throws IOException {
        long value = 0;
        for (int shift = 0; shift <= VARINT_BITS; shift += 7) {
            if (position == limit && !fill()) {
                if (isPython) {
                    return 0;
                }
                throw broken("the file ends within the length of a message");
            }
            byte next = input[position++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                if (value < 0 || value > Integer.MAX_VALUE - 8) {
                    throw broken("a message cannot have " + Long.toUnsignedString(value) + " bytes");
                }
                return (int) value;
            }
        }
        if (isPython) {
            return 0;
        }
        throw broken("the length of a message takes more than 10 bytes");
    }

    private boolean fill() throws IOException {
        before += limit;
        position = 0;
        limit = 0;
        try {
            limit = Math.max(0, in.read(input));
        } catch (EOFException | ZipException damaged) {
            throw broken("the compressed data are damaged: " + damaged.getMessage());
        }
        return limit > 0;
    }

    /** Current message; valid up to {@link #length} until the next call of {@link #next}. */
    byte[] message() {
        return message;
    }

    int messageLength() {
        return length;
    }

    /** Creates an input error for this message. */
    StageException broken(String what) {
        return broken(0, what);
    }

    /** Creates an input error for a byte within this message. */
    StageException broken(int within, String what) {
        String unit = isCompressed ? "uncompressed byte " : "byte ";
        return StageException.input(Problem.trace(
                source, "message " + Math.max(0, index) + " at " + unit + (start + within) + ": " + what));
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
