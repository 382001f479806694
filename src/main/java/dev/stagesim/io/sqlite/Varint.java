package dev.stagesim.io.sqlite;

import java.nio.ByteBuffer;

/** SQLite's integers of one to nine bytes, seven bits each, the ninth all eight. */
final class Varint {
    private static final int LONGEST = 9;

    private Varint() {}

    static long read(ByteBuffer in) {
        long value = 0;
        for (int i = 1; i < LONGEST; i++) {
            byte next = in.get();
            value = value << 7 | (next & 0x7f);
            if (next >= 0) {
                return value;
            }
        }
        return value << 8 | (in.get() & 0xff);
    }
}
