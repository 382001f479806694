package dev.stagesim.io.gzip;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** Content of a stream, decompressed if it begins with the gzip magic number. */
public record MaybeGzip(InputStream in, boolean compressed) {
    private static final int BUFFER = 1 << 16;
    private static final int FIRST = 0x1f;
    private static final int SECOND = 0x8b;

    /** True if the content begins with the gzip magic number. */
    public static boolean isPacked(byte[] content) {
        return content.length > 1 && content[0] == FIRST && (content[1] & 0xff) == SECOND;
    }

    /**
     * Inspects the first two bytes; closes the stream on failure.
     *
     * @throws java.util.zip.ZipException or {@link java.io.EOFException} if the header is damaged
     */
    public static MaybeGzip of(InputStream stream) throws IOException {
        BufferedInputStream raw = new BufferedInputStream(stream, BUFFER);
        try {
            raw.mark(2);
            boolean compressed = raw.read() == FIRST && raw.read() == SECOND;
            raw.reset();
            return new MaybeGzip(compressed ? new GZIPInputStream(raw, BUFFER) : raw, compressed);
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }
}
