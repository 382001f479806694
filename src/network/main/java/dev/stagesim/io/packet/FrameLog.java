package dev.stagesim.io.packet;

import dev.stagesim.sim.network.packet.state.TracedFrame;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The reference's binary frame trace: a header with every port, then 56 bytes per frame, little-endian. */
public final class FrameLog {
    public static final int RECORD = 56;

    private static final int PORT = 11;
    private static final int PRIORITY = 3;
    private static final int[] PROTOCOLS = {0x11, 0xfc, 0xfd, 0xfe};

    private final OutputStream out;
    private final byte[] bytes = new byte[RECORD];
    private final ByteBuffer record = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);

    FrameLog(OutputStream out) {
        this.out = out;
    }

    /** Writes the header: ports by node and number, and the largest window. */
    public void head(PacketTopology topology, long largestProduct) {
        int count = 2 * topology.cables().size();
        byte[] bytesOfHead = new byte[Integer.BYTES + PORT * count + Integer.BYTES];
        ByteBuffer head = ByteBuffer.wrap(bytesOfHead).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(count);
        for (int node = 0; node < topology.nodes(); node++) {
            int number = 0;
            for (PacketTopology.Cable cable : topology.cables()) {
                if (cable.a() == node || cable.b() == node) {
                    number++;
                    head.putShort((short) node).put((byte) number).putLong(cable.rate());
                }
            }
        }
        head.putInt((int) largestProduct);
        write(bytesOfHead);
    }

    void write(TracedFrame frame) {
        record.clear();
        record.putLong(frame.now()).putShort((short) frame.place().node()).put((byte)
                frame.place().port());
        record.put((byte) frame.place().queue()).putInt(frame.place().queueBytes());
        record.putInt(frame.ends().source()).putInt(frame.ends().destination()).putShort((short) frame.size());
        record.put((byte) PROTOCOLS[frame.kind().ordinal()])
                .put((byte) frame.event().ordinal());
        record.put((byte) (frame.marked() ? 3 : 0))
                .put((byte) (frame.place().atSwitch() ? 1 : 0))
                .putShort((short) 0);
        if (frame.kind() == TracedFrame.Kind.DATA) {
            record.putShort((short) frame.ends().sourcePort())
                    .putShort((short) frame.ends().destinationPort());
            record.putInt((int) frame.sequence()).putLong(frame.sentAt());
            record.putShort((short) PRIORITY).putShort((short) frame.payload());
        } else if (frame.kind() == TracedFrame.Kind.PAUSE) {
            record.putInt((int) frame.sequence()).putInt(frame.payload()).put((byte) PRIORITY);
        } else {
            record.putShort((short) frame.ends().sourcePort())
                    .putShort((short) frame.ends().destinationPort());
            record.putShort((short) (frame.echoed() ? 1 : 0)).putShort((short) PRIORITY);
            record.putInt((int) frame.sequence());
        }
        while (record.hasRemaining()) {
            record.put((byte) 0);
        }
        write(bytes);
    }

    private void write(byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
