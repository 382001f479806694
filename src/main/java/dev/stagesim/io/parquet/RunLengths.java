package dev.stagesim.io.parquet;

import java.util.Arrays;

/** Encodes small numbers as runs of one value and groups of eight: Parquet's levels and places in a dictionary. */
final class RunLengths {
    private static final int GROUP = 8;
    private static final int MOST_GROUPS = 63;

    private final Bytes out = new Bytes();
    private final int width;
    private final int[] pending = new int[GROUP];
    private int held;
    private int previous;
    private int repeated;
    private int groups;
    private int header;

    RunLengths(int width) {
        this.width = width;
    }

    void put(int value) {
        if (value == previous) {
            repeated++;
            if (repeated >= GROUP) {
                return;
            }
        } else {
            endRun();
            repeated = 1;
            previous = value;
        }
        pending[held++] = value;
        if (held == GROUP) {
            group();
        }
    }

    private void endRun() {
        if (repeated >= GROUP) {
            endGroups();
            out.varint((long) repeated << 1).le(previous, (width + 7) / 8);
            held = 0;
            repeated = 0;
        }
    }

    private void group() {
        if (groups == MOST_GROUPS) {
            endGroups();
        }
        if (groups == 0) {
            header = out.size();
            out.u8(0);
        }
        for (int value : pending) {
            out.bits(value, width);
        }
        out.align();
        groups++;
        held = 0;
        repeated = 0;
    }

    private void endGroups() {
        if (groups > 0) {
            out.set(header, (groups << 1) | 1);
            groups = 0;
        }
    }

    /** All of it; nothing may be put afterwards. */
    Bytes bytes() {
        endRun();
        if (held > 0) {
            Arrays.fill(pending, held, GROUP, 0);
            group();
        }
        endGroups();
        return out;
    }
}
