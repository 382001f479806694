package dev.stagesim.stage.astrasim;

import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import java.util.Arrays;

/** Records flows, pauses and queue samples of a run, and forwards all events. */
final class PacketRecorder implements PacketListener {
    private static final int FLOW = 7;
    private static final int PAUSE = 5;
    private static final int SAMPLE = 5;
    private static final int MAX_SAMPLES = 200_000;

    private final PacketListener next;
    private long[] flows = new long[64 * FLOW];
    private int flowCount;
    private long[] pauses = new long[64 * PAUSE];
    private int pauseCount;
    private long[] samples = new long[64 * SAMPLE];
    private int sampleCount;
    private boolean samplesCut;

    PacketRecorder(PacketListener next) {
        this.next = next;
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
        flows = room(flows, (flowCount + 1) * FLOW);
        put(flows, flowCount++ * FLOW, source, destination, sourcePort, bytes, start, duration, ideal);
        next.completed(source, destination, sourcePort, bytes, start, duration, stated, ideal);
    }

    @Override
    public void paused(long now, int node, boolean atSwitch, int port, boolean pause) {
        pauses = room(pauses, (pauseCount + 1) * PAUSE);
        put(pauses, pauseCount++ * PAUSE, now, node, atSwitch ? 1 : 0, port, pause ? 1 : 0);
        next.paused(now, node, atSwitch, port, pause);
    }

    @Override
    public void dropped(long now, int node, int port) {
        next.dropped(now, node, port);
    }

    @Override
    public void sampled(long now, int node, int[] bytes) {
        next.sampled(now, node, bytes);
        long sum = 0;
        int longest = 0;
        for (int i = 0; i < bytes.length; i++) {
            sum += bytes[i];
            longest = bytes[i] > bytes[longest] ? i : longest;
        }
        if (sum == 0) {
            return;
        }
        if (sampleCount == MAX_SAMPLES) {
            samplesCut = true;
            return;
        }
        samples = room(samples, (sampleCount + 1) * SAMPLE);
        put(samples, sampleCount++ * SAMPLE, now, node, sum, bytes[longest], longest + 1);
    }

    @Override
    public void traced(TracedFrame frame) {
        next.traced(frame);
    }

    private static long[] room(long[] rows, int needed) {
        return needed <= rows.length ? rows : Arrays.copyOf(rows, 2 * rows.length);
    }

    private static void put(long[] rows, int at, long... cells) {
        System.arraycopy(cells, 0, rows, at, cells.length);
    }

    int flows() {
        return flowCount;
    }

    /** By flow: source, destination, source port, bytes, start, duration and ideal duration. */
    long[] flow(int i) {
        return Arrays.copyOfRange(flows, i * FLOW, (i + 1) * FLOW);
    }

    int pauses() {
        return pauseCount;
    }

    /** By pause: time, node, whether it is a switch, port, and whether it begins. */
    long[] pause(int i) {
        return Arrays.copyOfRange(pauses, i * PAUSE, (i + 1) * PAUSE);
    }

    int samples() {
        return sampleCount;
    }

    /** By sample: time, switch, total bytes, bytes at the fullest port, and that port. */
    long[] sample(int i) {
        return Arrays.copyOfRange(samples, i * SAMPLE, (i + 1) * SAMPLE);
    }

    /** True if samples beyond the maximum were discarded. */
    boolean areSamplesCut() {
        return samplesCut;
    }

    /** Slowdowns of all flows (duration / ideal duration), ascending. */
    double[] slowdowns() {
        double[] all = new double[flowCount];
        for (int i = 0; i < flowCount; i++) {
            all[i] = (double) flows[i * FLOW + 5] / Math.max(1, flows[i * FLOW + 6]);
        }
        Arrays.sort(all);
        return all;
    }
}
