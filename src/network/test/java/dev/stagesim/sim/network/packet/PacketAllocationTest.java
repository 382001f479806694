package dev.stagesim.sim.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Dcqcn;
import dev.stagesim.sim.network.packet.congestion.Dctcp;
import dev.stagesim.sim.network.packet.congestion.Hpcc;
import dev.stagesim.sim.network.packet.congestion.Timely;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Flows and frames in flight allocate memory; more frames of the same flows allocate none.
 *
 * <p>HPCC-PINT is excluded, because {@link StrictMath#pow} allocates arrays until it is compiled.
 */
final class PacketAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int HOSTS = 9;
    private static final int FEW = 1_000_000;
    private static final int MANY = 5_000_000;

    static List<CongestionSpec> controls() {
        return List.of(
                new CongestionSpec.None(),
                KeyRecord.of(Dcqcn.Spec.class, Map.of("gain", 0.004)),
                new Dctcp.Spec(0.0625, 1000, 100),
                new Timely.Spec(50, 100, 100),
                new Hpcc.Spec(0.95, 0, 50, 100, true, false, false, 1));
    }

    /** Returns the bytes allocated while eight hosts send to a ninth over a buffer that pauses and marks them. */
    private static long allocated(CongestionSpec congestion, int bytes) {
        SwitchSpec small = new SwitchSpec(
                1 << 20,
                3,
                true,
                true,
                List.of(new SwitchSpec.MarkThreshold(100 * PacketRuns.GIGA, 10_000, 100_000, 0.2)));
        PacketSpec spec = new PacketRuns(PacketRuns.star(HOSTS)).with(congestion, small, 0, Compat.NONE).spec;
        PacketNetwork network = new PacketNetwork(spec, HOSTS, PacketListener.NONE);
        network.followEveryFrame();
        Counter counter = new Counter(network);
        for (int source = 0; source < HOSTS - 1; source++) {
            network.receive(source, HOSTS - 1, bytes, source, source);
            network.send(source, HOSTS - 1, bytes, source, -1);
        }
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        network.run(counter);
        long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        assertThat(counter.received).isEqualTo(HOSTS - 1);
        assertThat(network.handledEvents()).isGreaterThan((HOSTS - 1) * (bytes / 1000L) * 4);
        return after - before;
    }

    @ParameterizedTest
    @MethodSource("controls")
    void allocatesNothingForFurtherFrames(CongestionSpec congestion) {
        allocated(congestion, FEW);
        long few = allocated(congestion, FEW);
        long many = allocated(congestion, MANY);
        // 32,000 more frames. One byte per frame would fail the test.
        assertThat(many - few).isLessThan(32_000);
    }

    /** Stops the run when all messages are received. */
    private static final class Counter implements NetworkClient {
        private final PacketNetwork network;
        private int received;

        Counter(PacketNetwork network) {
            this.network = network;
        }

        @Override
        public void event(long event) {}

        @Override
        public void sent(int handle) {}

        @Override
        public void received(int handle) {
            if (++received == HOSTS - 1) {
                network.workDone();
            }
        }
    }
}
