package dev.stagesim.io.packet;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Writes the events of a packet network to the reference's files: completed flows, pauses, queues and frames.
 *
 * <p>{@code specs/packet-network.md} specifies the formats.
 */
public final class PacketLogs implements PacketListener {
    private static final int DATA_PORT = 100;
    private static final int MIN_SHOWN_BYTES = 1000;

    private final OutputStream flows;
    private final OutputStream pauses;
    private final OutputStream queues;
    private final FrameLog frames;
    private final StringBuilder line = new StringBuilder();

    /** Writes to the four streams and leaves them open. */
    public PacketLogs(OutputStream flows, OutputStream pauses, OutputStream queues, OutputStream frames) {
        this.flows = flows;
        this.pauses = pauses;
        this.queues = queues;
        this.frames = new FrameLog(frames);
    }

    public FrameLog frames() {
        return frames;
    }

    @Override
    public void completed(
            int source,
            int destination,
            int sourcePort,
            long bytes,
            long start,
            long duration,
            long stated,
            long ideal) {
        line.setLength(0);
        line.append(HexFormat.of().toHexDigits(State.address(source))).append(' ');
        line.append(HexFormat.of().toHexDigits(State.address(destination))).append(' ');
        line.append(sourcePort)
                .append(' ')
                .append(DATA_PORT)
                .append(' ')
                .append(bytes)
                .append(' ');
        line.append(start)
                .append(' ')
                .append(duration)
                .append(' ')
                .append(stated)
                .append('\n');
        write(flows);
    }

    @Override
    public void paused(long now, int node, boolean atSwitch, int port, boolean pause) {
        line.setLength(0);
        line.append(now)
                .append(' ')
                .append(node)
                .append(' ')
                .append(atSwitch ? 1 : 0)
                .append(' ');
        line.append(port).append(' ').append(pause ? 1 : 0).append('\n');
        write(pauses);
    }

    @Override
    public void sampled(long now, int node, int[] bytes) {
        line.setLength(0);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] >= MIN_SHOWN_BYTES) {
                if (line.isEmpty()) {
                    line.append("time ").append(now).append(' ').append(node).append(' ');
                }
                line.append("j ").append(i + 1).append(' ').append(bytes[i]);
                line.append(i + 1 < bytes.length ? " " : "");
            }
        }
        if (!line.isEmpty()) {
            line.append('\n');
            write(queues);
        }
    }

    @Override
    public void traced(TracedFrame frame) {
        frames.write(frame);
    }

    private void write(OutputStream to) {
        Unchecked.run(() -> to.write(line.toString().getBytes(StandardCharsets.US_ASCII)));
    }
}
