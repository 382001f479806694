package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Host times of a bundle are added by default, and a warning reports host times that are not used. */
class HostTimesTest {
    private static final HostOverhead.Step NOTHING = new HostOverhead.Step(0, 0);
    private static final HostOverhead FIVE_MS =
            new HostOverhead.Linear(new HostOverhead.Step(5000, 0), NOTHING, NOTHING, NOTHING, NOTHING);

    private SimRuns runs;

    @BeforeEach
    void make() throws IOException {
        runs = new SimRuns();
        runs.requests(1, 100, 12);
    }

    @AfterEach
    void close() throws IOException {
        runs.files.close();
    }

    private double tpot() throws IOException {
        return runs.run().headlines.get("tpot_p50_ms");
    }

    private void addHostTimes(boolean host) {
        runs.overheads = new SimulationSettings.Overheads(
                Optional.of(0.1), Optional.of(0.1), 0.02, 0, Optional.of(host), Optional.of(false));
    }

    @Test
    void addsHostTimesOfTheBundleToEveryStep() throws IOException {
        double without = tpot();
        runs.profile(ProfileDefaults.with(FIVE_MS));
        assertThat(tpot()).isCloseTo(without + 5, within(1e-6));
        addHostTimes(true);
        assertThat(tpot()).isCloseTo(without + 5, within(1e-6));
    }

    @Test
    void rejectsUnusedModelledHostTimes() throws IOException {
        runs.profile(ProfileDefaults.with(FIVE_MS));
        addHostTimes(false);
        assertThatThrownBy(runs::run)
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("profile.host", "has no effect", "simulation.overheads.host=false");
        runs.overheads = new SimulationSettings.Overheads(
                Optional.of(0.1), Optional.of(0.1), 0.02, 0, Optional.empty(), Optional.of(false));
        runs.compat = CompatMode.VIDUR;
        assertThatThrownBy(runs::run)
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("profile.host", "compat=vidur", "set simulation.overheads.host=true");
    }

    @Test
    void namesTheKeysWhenTheBundleHasNoHostTimes() {
        addHostTimes(true);
        assertThatThrownBy(runs::run)
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(
                        "the bundle has no host times", "profile.host.kind=linear", "profile.host.schedule.base_us");
    }

    @Test
    void warnsOfAGlobalSchedulerWithOneReplica() throws IOException {
        assertThat(runs.run().warnings).isEmpty();
        runs.cluster = SimRuns.cluster(1, 1, 1, GlobalPolicy.LOR, Optional.empty());
        assertThat(runs.run().warnings).singleElement().asString().contains("cluster.global_scheduler has no effect");
    }
}
