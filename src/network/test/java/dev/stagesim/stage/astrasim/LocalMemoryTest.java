package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.Topology;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Local memory affects only reductions, and a run reports if it is slower than the links. */
final class LocalMemoryTest {
    private static final List<CollectiveType> REDUCING =
            List.of(CollectiveType.ALL_REDUCE, CollectiveType.REDUCE_SCATTER);
    private static final long BYTES = 1 << 24;

    private static TestRun run(
            String algorithm, Topology topology, CollectiveType type, double memory, AstraCompat compat)
            throws IOException {
        TestRun run = new TestRun();
        run.compat = compat;
        run.system = KeyRecord.with(
                SystemSettings.Keys.class,
                TestRun.keys(algorithm),
                Map.of("localMemBw", memory, "allToAllImplementation", List.of("direct")));
        run.network = TestRun.dims(Backend.CONGESTION_AWARE, topology, 4);
        run.traces(4, TestRun.collective(2, type.number(), type.name(), BYTES));
        run.run();
        return run;
    }

    private static boolean warns(TestRun run) {
        return run.context.warnings.stream().anyMatch(text -> text.contains("system.local_mem_bw"));
    }

    @ParameterizedTest
    @CsvSource({
        "ring, RING",
        "ring, SWITCH",
        "ring, FULLY_CONNECTED",
        "direct, RING",
        "direct, SWITCH",
        "direct, FULLY_CONNECTED",
        "halvingDoubling, SWITCH",
        "halvingDoubling, FULLY_CONNECTED"
    })
    void reportsSlowMemoryWhenACollectiveReduces(String algorithm, Topology topology) throws IOException {
        for (CollectiveType type : List.of(
                CollectiveType.ALL_REDUCE,
                CollectiveType.REDUCE_SCATTER,
                CollectiveType.ALL_GATHER,
                CollectiveType.ALL_TO_ALL)) {
            TestRun slow = run(algorithm, topology, type, 100, AstraCompat.NONE);
            TestRun fast = run(algorithm, topology, type, 1000, AstraCompat.NONE);
            boolean reduces = REDUCING.contains(type);
            double ratio =
                    slow.context.headlines.get("duration_cycles") / fast.context.headlines.get("duration_cycles");
            assertThat(ratio > 1).as(type.name()).isEqualTo(reduces);
            assertThat(warns(slow)).as(type.name()).isEqualTo(reduces);
            assertThat(warns(fast)).as(type.name()).isFalse();
            assertThat(Json.read(slow.out.resolve("conditions.json"))
                            .get("hardware")
                            .asString())
                    .contains("local memory 100.0 GB/s", "53.69 GB/s");
        }
    }

    @Test
    void doesNotWarnInReferenceMode() throws IOException {
        assertThat(warns(run("ring", Topology.RING, CollectiveType.ALL_REDUCE, 100, AstraCompat.ASTRA)))
                .isFalse();
    }
}
