package dev.stagesim.io.digest;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import org.apache.commons.codec.binary.Hex;
import org.apache.commons.codec.digest.DigestUtils;

/** SHA-256 in lower-case hex. */
public final class Sha256 {
    private final MessageDigest digest = DigestUtils.getSha256Digest();

    /** The digest of a text's UTF-8 bytes. */
    public static String hex(String text) {
        return DigestUtils.sha256Hex(text);
    }

    public void update(byte[] bytes, int offset, int length) {
        digest.update(bytes, offset, length);
    }

    public void update(byte[] bytes) {
        digest.update(bytes);
    }

    /** A stream whose bytes are added. */
    public OutputStream stream() {
        return new DigestOutputStream(OutputStream.nullOutputStream(), digest);
    }

    /** The digest of everything added; starts again. */
    public String hex() {
        return Hex.encodeHexString(digest.digest());
    }
}
