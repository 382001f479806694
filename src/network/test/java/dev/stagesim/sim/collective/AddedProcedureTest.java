package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.Chunk;
import dev.stagesim.sim.collective.procedure.ChunkRun;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A new procedure needs only one class and one entry in the list to be read, simulated and folded. */
final class AddedProcedureTest {
    private static final int ALL_GATHER = 2;

    /**
     * Bruck's all-gather: in round k all blocks so far are sent 2^k positions back, and the last round sends the rest.
     */
    private static final class Bruck extends Procedure {
        Bruck() {
            super("bruck");
        }

        @Override
        public Optional<String> refusal(Placement place) {
            return place.kind() == CollectiveKind.ALL_GATHER
                    ? Optional.empty()
                    : Optional.of("Bruck's algorithm is for all-gathers");
        }

        @Override
        public ChunkRun begin(Phase phase, Chunk chunk) {
            return new Rounds(phase, chunk);
        }

        private static final class Rounds extends ChunkRun {
            private final Phase phase;
            private int distance = 1;

            Rounds(Phase phase, Chunk chunk) {
                super(chunk);
                this.phase = phase;
            }

            @Override
            public void start() {
                out(bytes());
            }

            @Override
            public void passed() {
                exchange(peer(-distance), peer(distance), bytes());
            }

            @Override
            public void received() {
                distance *= 2;
                if (distance < phase.ring().size()) {
                    out(bytes());
                } else {
                    end();
                }
            }

            private long bytes() {
                return phase.size() * Math.min(distance, phase.ring().size() - distance);
            }

            private int peer(int ahead) {
                int rank = rank();
                int n = phase.ring().size();
                return phase.ring().rank(rank, Math.floorMod(phase.ring().position(rank) + ahead, n));
            }
        }
    }

    private static TestSystem machine(int npus) {
        List<Procedure> known = new ArrayList<>(Algorithm.PROCEDURES);
        known.add(new Bruck());
        return TestSystem.of(Topology.SWITCH, npus)
                .algorithms(Algorithm.parse("bruck", known).orElseThrow())
                .compat(AstraCompat.NONE)
                .splits(1);
    }

    @Test
    void matchesWorkedExample() {
        // Rounds of 1, 2, 4 and 3 shares of 50,000 bytes; 10 ns at the endpoint, two hops of 500 ns, 50 GB/s.
        RankTrace trace = trace(collective(0, ALL_GATHER, 50_000));
        long bytes = 50_000L * (1 + 2 + 4 + 3);
        double nsPerByte = 1e9 / (50.0 * (1 << 30));
        long expected = Math.round(4 * (10 + 2 * 500) + bytes * nsPerByte);
        long[] finish = machine(11).run(trace).finishNs();
        assertThat(finish).containsOnly(finish[0]);
        assertThat(finish[0]).isBetween(expected - 8, expected + 8);
    }

    @Test
    void matchesFullSimulationWhenFolded() {
        for (int npus = 2; npus < 20; npus++) {
            RankTrace trace = trace(
                    collective(0, ALL_GATHER, 1000L * npus + 1),
                    collective(1, ALL_GATHER, 777).withDataDeps(0));
            SimulationResult folded = machine(npus).splits(3).symmetric(true).run(trace);
            SimulationResult full = machine(npus).splits(3).run(trace);
            assertThat(folded.symmetry().simulatedNpus())
                    .as(folded.symmetry().note())
                    .isEqualTo(1);
            assertThat(folded.finishNs()).isEqualTo(full.finishNs());
            assertThat(folded.traffic().messages()).isEqualTo(full.traffic().messages());
        }
    }

    @Test
    void rejectsUnsupportedCollective() {
        assertThatThrownBy(() -> machine(4).run(trace(collective(0, 0, 4096))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("Bruck's algorithm is for all-gathers");
    }

    @Test
    void parsesEveryOfferedName() {
        assertThat(Algorithm.options())
                .containsExactly(
                        "ring",
                        "direct",
                        "direct<window>",
                        "halvingDoubling",
                        "doubleBinaryTree",
                        "oneRing",
                        "oneDirect",
                        "oneDirect<window>",
                        "oneHalvingDoubling");
        for (String option : Algorithm.options()) {
            assertThat(Algorithm.parse(option.replace("<window>", "12"))).isPresent();
            assertThat(Algorithm.NAMES).contains(option);
        }
        assertThat(Algorithm.parse("bruck")).isEmpty();
    }

    @Test
    void listsEveryNameInMessages() {
        for (String option : Algorithm.options()) {
            assertThat(Algorithm.NAMES.split("[, ]+")).as(option).contains(option);
        }
    }
}
