package dev.stagesim.io.chakra;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cache of strings by their encoded bytes, so that names that repeat in every node are decoded once. */
final class NameCache {
    /** Maximum length of a cached string, in bytes. */
    static final int MAX_BYTES = 64;

    private static final int SLOTS = 1024;

    private final byte[][] keys = new byte[SLOTS][];
    private final @Nullable String[] texts = new String[SLOTS];

    String get(byte[] bytes, int from, int length) throws IOException {
        int hash = length;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        int slot = (hash ^ hash >>> 10) & SLOTS - 1;
        String found = texts[slot];
        if (found != null && Arrays.equals(keys[slot], 0, keys[slot].length, bytes, from, from + length)) {
            return found;
        }
        byte[] key = Arrays.copyOfRange(bytes, from, from + length);
        String text = decode(key);
        keys[slot] = key;
        texts[slot] = text;
        return text;
    }

    private static String decode(byte[] key) throws IOException {
        for (byte each : key) {
            if (each < 0) {
                byte[] framed = new byte[key.length + 1];
                framed[0] = (byte) key.length;
                System.arraycopy(key, 0, framed, 1, key.length);
                return CodedInputStream.newInstance(framed).readStringRequireUtf8();
            }
        }
        return new String(key, StandardCharsets.US_ASCII);
    }
}
