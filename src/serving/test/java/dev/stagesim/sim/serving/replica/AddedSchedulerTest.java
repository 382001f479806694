package dev.stagesim.sim.serving.replica;

import static dev.stagesim.sim.serving.ServingFixtures.request;
import static dev.stagesim.sim.serving.ServingFixtures.spec;
import static dev.stagesim.sim.serving.ServingFixtures.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A new scheduler needs only one class with its specification, and no change of a kernel. */
final class AddedSchedulerTest {
    /** Schedules the shortest prompt first, alone in a batch. Decodes run together if no prompt waits. */
    record ShortestFirst(Limits limits) implements SchedulerSpec, ReplicaScheduler.Factory {
        @Override
        public void check(ClusterSpec cluster, List<Problem> problems) {
            if (cluster.pipelineStages() > 2) {
                problems.add(Problem.config("cluster.num_pipeline_stages", "is more than shortest_first knows"));
            }
        }

        @Override
        public Optional<Memory> memory() {
            return Optional.of(new Memory("share", 0.5, false, 0, 0));
        }

        @Override
        public boolean reservesSequences() {
            return true;
        }

        @Override
        public ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            return new Batches(parts);
        }

        private static final class Batches extends ReplicaScheduler {
            private final int blocks;

            Batches(Parts parts) {
                super(parts);
                this.blocks = parts.plan().blocksPerSequence();
            }

            @Override
            AdmissionLimit heldBackBy(Batch batch) {
                return allocatedRequests() == cap ? AdmissionLimit.BATCH_CAP : AdmissionLimit.KV_BLOCKS;
            }

            @Override
            void fill(Batch batch) {
                int shortest = shortest();
                if (shortest >= 0 && allocatedRequests() < cap && freeBlocks() >= blocks) {
                    waiting.remove(shortest);
                    admit(shortest, blocks);
                    batch.addPrefill(shortest, states.prefill[shortest]);
                    return;
                }
                while (!running.isEmpty() && batch.size != microBatch) {
                    if (!takeCohort(batch, microBatch - batch.size)) {
                        batch.addDecode(firstRunning());
                    }
                }
            }

            private int shortest() {
                int shortest = -1;
                for (int i = 0; i < waiting.size(); i++) {
                    int request = waiting.get(i);
                    if (shortest < 0 || states.prefill[request] < states.prefill[shortest]) {
                        shortest = request;
                    }
                }
                return shortest;
            }
        }
    }

    private final ServingFixtures.Log log = new ServingFixtures.Log();

    @Test
    void formsItsBatches() {
        ServingSpec spec = spec(new ShortestFirst(ServingFixtures.limits(2, 16, 0, 1000)));
        ServingOutcome outcome = ServingSimulator.run(
                spec, trace(request(0, 30, 2), request(0, 10, 3), request(0, 20, 2)), ServingFixtures.flat(), log);
        assertThat(log.batches).containsExactly("1:10", "2:20", "1:1 2:1", "0:30", "1:1 0:1");
        assertThat(log.completed).containsExactly(2, 1, 0);
        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(log.lastBlocks).isZero();
    }

    @Test
    void rejectsUnsupportedClusters() {
        ShortestFirst scheduler = new ShortestFirst(ServingFixtures.limits(4, 16, 0, 1000));
        assertThat(spec(scheduler, 1, 2, false).scheduler()).isEqualTo(scheduler);
        assertThat(scheduler.preempts()).as("a share of memory makes no engine").isFalse();
        assertThatThrownBy(() -> spec(scheduler, 1, 3, false))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("more than shortest_first knows");
    }
}
