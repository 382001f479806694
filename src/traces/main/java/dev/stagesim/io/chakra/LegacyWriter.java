package dev.stagesim.io.chakra;

import dev.stagesim.model.trace.LegacyNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a trace of schema 0.0.1 ({@code .eg}), byte-identical to the reference.
 *
 * <p>The format has no metadata. Lists are not packed. Numbers are written if present, even if zero.
 */
public final class LegacyWriter implements Closeable {
    static final int ID = 1;
    static final int NAME = 2;
    static final int TYPE = 3;
    static final int PARENT = 4;
    static final int INVOLVED_DIM = 14;

    private final OutputStream out;
    private final WireWriter wire;

    /** Writes to a stream. Closing the writer closes the stream. */
    public LegacyWriter(OutputStream out) {
        this.out = out;
        wire = new WireWriter(out);
    }

    public void write(LegacyNode node) throws IOException {
        int begun = wire.begin();
        wire.number(ID, node.id());
        wire.text(NAME, node.name());
        wire.number(TYPE, node.typeNumber());
        for (long parent : node.parents()) {
            wire.number(PARENT, parent);
        }
        numbers(node, 0, INVOLVED_DIM);
        for (boolean isInvolved : node.involvedDims()) {
            wire.number(INVOLVED_DIM, isInvolved ? 1 : 0);
        }
        numbers(node, INVOLVED_DIM + 1, Integer.MAX_VALUE);
        wire.raw(node.unknown());
        wire.endMessage(begun);
    }

    private void numbers(LegacyNode node, int from, int to) {
        node.numbers().forEach((field, value) -> {
            if (field.field() >= from && field.field() <= to) {
                wire.number(field.field(), value);
            }
        });
    }

    @Override
    public void close() throws IOException {
        try (out) {
            wire.flush();
        }
    }
}
