package dev.stagesim.io.chakra;

import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * A trace that is written many times, each time with node ids shifted by a constant.
 *
 * <p>Everything except the ids is encoded once, so writing a node costs little more than copying its bytes.
 * Thread-safe.
 */
public final class EtTemplate {
    private final byte[] metadata;
    private final long[] ids;
    private final long[][] ctrl;
    private final long[][] data;
    private final byte[] parts;
    private final int[] headEnd;
    private final int[] tailEnd;

    /** Encodes the parts that do not depend on ids. */
    public EtTemplate(EtMetadata metadata, List<EtNode> nodes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        EtWriter.of(bytes, metadata).close();
        this.metadata = bytes.toByteArray();
        ids = new long[nodes.size()];
        ctrl = new long[nodes.size()][];
        data = new long[nodes.size()][];
        headEnd = new int[nodes.size()];
        tailEnd = new int[nodes.size()];
        bytes.reset();
        WireWriter out = new WireWriter(bytes);
        for (int i = 0; i < nodes.size(); i++) {
            EtNode node = nodes.get(i);
            ids[i] = node.id();
            ctrl[i] = node.ctrlDeps();
            data[i] = node.dataDeps();
            NodeWriter.writeHead(node, out);
            headEnd[i] = Math.toIntExact(out.written());
            NodeWriter.writeTail(node, out);
            tailEnd[i] = Math.toIntExact(out.written());
        }
        out.flush();
        parts = bytes.toByteArray();
    }

    /** Number of nodes. Shifts by multiples of this number give disjoint ids if the template's ids start at 0. */
    public int nodes() {
        return ids.length;
    }

    /** Writes a copy. */
    public void write(OutputStream out, long shift) throws IOException {
        WireWriter wire = new WireWriter(out);
        wire.raw(metadata);
        int from = 0;
        for (int i = 0; i < ids.length; i++) {
            int begun = wire.begin();
            wire.nonZero(NodeWriter.ID, ids[i] + shift);
            wire.raw(parts, from, headEnd[i]);
            NodeWriter.writeDeps(NodeWriter.CTRL_DEPS, ctrl[i], shift, wire);
            NodeWriter.writeDeps(NodeWriter.DATA_DEPS, data[i], shift, wire);
            wire.raw(parts, headEnd[i], tailEnd[i]);
            wire.endMessage(begun);
            from = tailEnd[i];
        }
        wire.flush();
    }
}
