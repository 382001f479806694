package dev.stagesim.jmh;

import static java.util.Map.entry;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.HpccPint;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time of frames that all hosts send at once, on one switch of 400 Gbit/s or across leaves and spines.
 *
 * <p>Run with {@code -prof gc} and different numbers of frames: a frame allocates no memory.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@State(Scope.Benchmark)
public class PacketBenchmark implements NetworkClient {
    private static final int PAYLOAD = 1000;
    private static final Tier TIER = new Tier(400_000_000_000L, 500);

    @Param({"8", "64", "512"})
    public int hosts = 8;

    @Param({"16384", "131072"})
    public int frames = 16_384;

    @Param("none")
    public String congestion = "none";

    @Param({"star", "leaf_spine"})
    public String topology = "star";

    private PacketTopology network = PacketTopologies.star(2, 1, TIER);

    @Setup
    public void build() {
        network = topology.equals("star")
                ? PacketTopologies.star(hosts, 1, TIER)
                : PacketTopologies.leafSpine(hosts, 8, 4, 1, TIER, TIER);
    }

    @Benchmark
    public long deliver() {
        PacketSpec spec = KeyRecord.of(
                PacketSpec.class,
                Map.ofEntries(
                        entry("topology", network),
                        entry(
                                "transport",
                                KeyRecord.of(
                                        TransportSpec.class,
                                        Map.ofEntries(entry("payload", PAYLOAD), entry("retransmit", 0)))),
                        entry(
                                "congestion",
                                congestion.equals("none")
                                        ? new CongestionSpec.None()
                                        : new HpccPint.Spec(0.95, 0, 50, 100, 1.05, 1)),
                        entry("switches", new SwitchSpec(32 << 20, 3, true, false, List.of())),
                        entry("lossRate", 0),
                        entry("linkDown", Optional.empty()),
                        entry("monitor", Optional.empty()),
                        entry("traced", List.of()),
                        entry("paths", PathSpec.BY_FLOW),
                        entry("compat", PacketSpec.Compat.NONE)));
        PacketNetwork run = new PacketNetwork(spec, hosts, PacketListener.NONE);
        run.followEveryFrame();
        for (int host = 0; host < hosts; host++) {
            run.send(host, (host + hosts / 2 + 1) % hosts, (long) PAYLOAD * frames / hosts, host, -1);
        }
        run.run(this);
        return run.now();
    }

    @Override
    public void event(long event) {}

    @Override
    public void sent(int handle) {}

    @Override
    public void received(int handle) {}
}
