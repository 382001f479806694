package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Messages on a packet network and their arrival times. */
public final class PacketRuns implements NetworkClient, PacketListener {
    public static final long GIGA = 1_000_000_000L;

    final List<String> log = new ArrayList<>();
    final List<TracedFrame> frames = new ArrayList<>();
    private final List<int[]> sends = new ArrayList<>();
    private long[] receivedAt = {};
    /** By message: the message that its receipt sends, and the delay. */
    final Map<Integer, long[]> followers = new TreeMap<>();

    public PacketSpec spec;
    PacketNetwork network;

    public PacketRuns(PacketTopology topology) {
        spec = spec(topology, Map.of());
        network = new PacketNetwork(spec, topology.hosts(), this);
    }

    /** Returns a network on {@code topology} with changes of the default components. */
    static PacketSpec spec(PacketTopology topology, Map<String, ?> changes) {
        Map<String, Object> values = new TreeMap<>(Map.ofEntries(
                entry("topology", topology),
                entry("transport", transport(2000)),
                entry("congestion", new CongestionSpec.None()),
                entry("switches", new SwitchSpec(32 << 20, 3, true, false, List.of())),
                entry("lossRate", 0),
                entry("linkDown", Optional.empty()),
                entry("monitor", Optional.empty()),
                entry("traced", List.of()),
                entry("paths", PathSpec.BY_FLOW),
                entry("compat", PacketSpec.Compat.NONE)));
        values.putAll(changes);
        return KeyRecord.of(PacketSpec.class, values);
    }

    /** Returns the use of a port of 100 bit/s that sent 10 frames. */
    public static PortUse use(PortUse.Location at, long busyNs, long waitedNs, PortUse.Pauses pauses) {
        return KeyRecord.of(
                PortUse.class,
                Map.ofEntries(
                        entry("at", at),
                        entry("rate", 100),
                        entry("frames", 10),
                        entry("bytes", 100 * busyNs),
                        entry("busyNs", busyNs),
                        entry("waitedNs", waitedNs),
                        entry("maxWaiting", 500),
                        entry("pauses", pauses),
                        entry("marks", 0),
                        entry("drops", 0)));
    }

    static TransportSpec transport(long retransmit) {
        return KeyRecord.of(TransportSpec.class, Map.of("retransmit", retransmit));
    }

    /** Returns two hosts that one cable connects. */
    static PacketTopology pair(long gigabits, long delay) {
        return new PacketTopology(2, List.of(), List.of(new PacketTopology.Cable(0, 1, gigabits * GIGA, delay, 0)));
    }

    public static PacketTopology star(int hosts) {
        return PacketTopologies.star(hosts, 1, new Tier(100 * GIGA, 1000));
    }

    PacketRuns with(CongestionSpec congestion, SwitchSpec switches, double loss, PacketSpec.Compat compat) {
        spec = spec(
                spec.topology(),
                Map.of("congestion", congestion, "switches", switches, "lossRate", loss, "compat", compat));
        return this;
    }

    /** Sets the path selection. */
    PacketRuns along(PathSpec paths) {
        spec = KeyRecord.with(PacketSpec.class, spec, Map.of("paths", paths));
        return this;
    }

    /** Samples queues with a period and logs non-empty ones. */
    void sampleEvery(long period) {
        spec = KeyRecord.with(
                PacketSpec.class,
                spec,
                Map.ofEntries(
                        entry("linkDown", Optional.empty()),
                        entry("monitor", Optional.of(new PacketSpec.Monitor(0, Long.MAX_VALUE, period))),
                        entry("traced", List.of()),
                        entry("paths", PathSpec.BY_FLOW)));
    }

    @Override
    public void sampled(long now, int node, int[] bytes) {
        if (Arrays.stream(bytes).anyMatch(some -> some > 0)) {
            log.add(now + " " + node + " " + Arrays.toString(bytes));
        }
    }

    PacketRuns send(int source, int destination, int bytes) {
        sends.add(new int[] {source, destination, bytes});
        return this;
    }

    /** Sends all messages at time 0 and returns the arrival times, or -1 for messages that did not arrive. */
    long[] run() {
        network = new PacketNetwork(spec, spec.topology().hosts(), this);
        receivedAt = new long[sends.size()];
        Arrays.fill(receivedAt, -1);
        for (int i = 0; i < sends.size(); i++) {
            int[] send = sends.get(i);
            network.receive(send[0], send[1], send[2], i, i);
            network.send(send[0], send[1], send[2], i, -1);
        }
        network.run(this);
        return receivedAt;
    }

    /** Sends messages at the given non-negative times in order, with or without the fast path. */
    long[] runAt(long[] times, boolean followEveryFrame) {
        network = new PacketNetwork(spec, spec.topology().hosts(), this);
        if (followEveryFrame) {
            network.followEveryFrame();
        }
        receivedAt = new long[sends.size()];
        Arrays.fill(receivedAt, -1);
        for (int i = 0; i < times.length; i++) {
            if (times[i] >= 0) {
                network.schedule(times[i], i);
            }
        }
        network.run(this);
        return receivedAt;
    }

    @Override
    public void event(long event) {
        int i = (int) event;
        if (i >= sends.size()) {
            // Nothing depends on this event.
            return;
        }
        int[] send = sends.get(i);
        network.receive(send[0], send[1], send[2], i, i);
        network.send(send[0], send[1], send[2], i, -1);
    }

    @Override
    public void sent(int handle) {
        throw new IllegalStateException("nobody asked");
    }

    @Override
    public void received(int handle) {
        receivedAt[handle] = network.now();
        long[] follower = followers.get(handle);
        if (follower != null) {
            network.schedule(network.now() + follower[1], follower[0]);
        }
        if (Arrays.stream(receivedAt).allMatch(at -> at >= 0)) {
            network.workDone();
        }
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
        assertThat(duration).isGreaterThanOrEqualTo(ideal);
        log.add(source + " " + destination + " " + sourcePort + " " + bytes + " " + start + " " + duration);
    }

    @Override
    public void traced(TracedFrame frame) {
        frames.add(frame);
    }

    @Override
    public void paused(long now, int node, boolean atSwitch, int port, boolean pause) {
        log.add(now + (pause ? " pause " : " resume ") + node + "." + port);
    }
}
