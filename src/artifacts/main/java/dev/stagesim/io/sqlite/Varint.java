package dev.stagesim.io.sqlite;

import java.nio.ByteBuffer;

/** SQLite's variable-length integers: one to nine bytes with seven bits each, eight in the ninth. */
final class Varint {
    private static final int MAX_BYTES = 9;

    private Varint() {}

    static long read(ByteBuffer in) {
        long value = 0;
        for (int i = 1; i < MAX_BYTES; i++) {
            byte next = in.get();
            value = value << 7 | (next & 0x7f);
            if (next >= 0) {
                return value;
            }
        }
        return value << 8 | (in.get() & 0xff);
    }
}
