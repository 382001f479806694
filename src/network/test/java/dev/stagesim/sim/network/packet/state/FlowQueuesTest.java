package dev.stagesim.sim.network.packet.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.PacketRuns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the turns of a port with a linear search over all flows. */
final class FlowQueuesTest {
    private static final int PORT = 0;

    /** A linear search of the list that starts after the flow of the last turn. */
    private static final class Plain {
        private final List<Integer> list = new ArrayList<>();
        private final Flows flows;
        private int last;

        Plain(Flows flows) {
            this.flows = flows;
        }

        int choose(FlowQueues queues, long now, boolean paused) {
            int chosen = -1;
            int finished = Integer.MAX_VALUE;
            for (int turn = 1; turn <= list.size() && chosen < 0; turn++) {
                int at = (last + turn) % list.size();
                int flow = list.get(at);
                if (!paused && flows.nextByte[flow] < flows.bytes[flow] && !queues.isWindowFull(flow)) {
                    chosen = flows.nextAllowed[flow] <= now ? at : -1;
                } else if (flows.acked[flow] >= flows.bytes[flow]) {
                    finished = Math.min(finished, at);
                }
            }
            int flow = chosen < 0 ? Flows.NONE : list.get(chosen);
            for (int at = list.size() - 1; at >= finished; at--) {
                if (flows.acked[list.get(at)] >= flows.bytes[list.get(at)]) {
                    list.remove(at);
                }
            }
            last = chosen < 0 ? last : list.indexOf(flow);
            return flow;
        }
    }

    private static void compare(long seed) {
        RandomStream random = RandomStream.of(seed, "turns");
        State state = new State(new PacketRuns(PacketRuns.star(2)).spec, PacketListener.NONE);
        Flows flows = state.flows;
        FlowQueues queues = new FlowQueues(state);
        Plain plain = new Plain(flows);
        List<Integer> known = new ArrayList<>();
        int max = 1 << random.below(9);
        for (int step = 0; step < 400; step++) {
            if (known.size() < max && random.below(3) > 0) {
                int flow = flows.take();
                flows.bytes[flow] = 1 + random.below(3000);
                flows.window[flow] = random.below(2) * (1 + random.below(1500));
                flows.rate[flow] = 1;
                flows.maxRate[flow] = 1;
                flows.nextAllowed[flow] = random.below(500);
                flows.port[flow] = PORT;
                queues.add(PORT, flow);
                plain.list.add(flow);
                known.add(flow);
            }
            if (!known.isEmpty() && random.below(2) == 0) {
                int flow = known.get((int) random.below(known.size()));
                if (random.below(8) == 0) {
                    flows.nextByte[flow] = flows.acked[flow];
                } else {
                    flows.acked[flow] = flows.nextByte[flow];
                }
                queues.changed(flow);
                if (flows.acked[flow] >= flows.bytes[flow]) {
                    known.remove((Integer) flow);
                }
            }
            boolean paused = random.below(8) == 0;
            int chosen = plain.choose(queues, step, paused);
            assertThat(queues.choose(PORT, step, paused)).isEqualTo(chosen);
            assertThat(queues.entries()).isEqualTo(plain.list.size());
            if (chosen != Flows.NONE) {
                flows.nextByte[chosen] = Math.min(flows.bytes[chosen], flows.nextByte[chosen] + 500);
                flows.nextAllowed[chosen] = step + random.below(20);
            }
        }
    }

    @Test
    void matchesLinearSearchForTurns() {
        qt().withExamples(300).forAll(longs().all()).checkAssert(FlowQueuesTest::compare);
    }
}
