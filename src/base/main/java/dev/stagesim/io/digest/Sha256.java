package dev.stagesim.io.digest;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import org.apache.commons.codec.binary.Hex;
import org.apache.commons.codec.digest.DigestUtils;

/** SHA-256 as lower-case hex digits. */
public final class Sha256 {
    private final MessageDigest digest = DigestUtils.getSha256Digest();

    /** Returns the digest of a text's UTF-8 bytes. */
    public static String hex(String text) {
        return DigestUtils.sha256Hex(text);
    }

    public void update(byte[] bytes, int offset, int length) {
        digest.update(bytes, offset, length);
    }

    public void update(byte[] bytes) {
        digest.update(bytes);
    }

    /** Returns a stream that adds its bytes to the digest. */
    public OutputStream stream() {
        return new DigestOutputStream(OutputStream.nullOutputStream(), digest);
    }

    /** Returns the digest of all added bytes and resets it. */
    public String hex() {
        return Hex.encodeHexString(digest.digest());
    }
}
