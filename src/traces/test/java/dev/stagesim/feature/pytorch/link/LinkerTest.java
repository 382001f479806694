package dev.stagesim.feature.pytorch.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.feature.pytorch.convert.ConvertedTrace;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LinkerTest {
    private static PlusNode named(LinkResult result, String name) {
        return result.trace().nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static EtNode named(ConvertedTrace conversion, String name) {
        return conversion.toList().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void subtractsTheTimeOfCalledOperators() {
        LinkResult result = new Recording()
                .call(3, 2, "outer", "t", 100, 50)
                .call(4, 3, "first", "t", 110, 10)
                .call(5, 3, "second", "t", 115, 20)
                .link();
        assertThat(named(result, "outer").times().orElseThrow().exclusive()).isEqualTo(25);
        assertThat(named(result, "second").times().orElseThrow()).isEqualTo(new PlusNode.Times(115, 20, 20));
    }

    @Test
    void attachesDeviceOperatorsWithoutALaunchToTheNearestOperator() {
        Recording recording = new Recording()
                .call(3, 2, "a", "t", 100, 50)
                .launch(3, 7, "t", 110, "known", 120, 5, 1)
                .kernel(3, 99, "orphan", 200, 5, 1);
        recording
                .events
                .event(EventKind.RUNTIME, "cudaMemsetAsync", "t", 112, 1)
                .external(3)
                .correlation(8);
        recording.events.event(EventKind.MEMSET, "set", "gpu1", 130, 1).external(3).correlation(8).stream(1);
        LinkResult result = recording.link();
        assertThat(result.linked()).isEqualTo(result.deviceOps()).isEqualTo(3);
        assertThat(result.remarks()).singleElement().asString().contains("1 device operators have no launch");
        LinkResult reference = withSteps(recording).linkLikeReference();
        assertThat(reference.linked()).isEqualTo(1);
        assertThat(reference.remarks()).singleElement().asString().contains("are left out");
    }

    private static Recording withSteps(Recording recording) {
        recording.events.event(EventKind.ANNOTATION, "ProfilerStep#0", "t", 0, 1000);
        return recording;
    }

    @Test
    void rejectsDuplicateCorrelationsOnlyInCompatMode() {
        Recording recording = withSteps(new Recording()
                .call(3, 2, "a", "t", 100, 50)
                .launch(3, 7, "t", 110, "k", 120, 5, 1)
                .runtime(3, 7, "cudaLaunchKernel", "t", 112, 1));
        assertThat(recording.link().linked()).isEqualTo(1);
        assertThatThrownBy(recording::linkLikeReference)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("two launches have the correlation 7");
    }

    @Test
    void addsADependencyWhenAThreadPaused() {
        LinkResult result = new Recording()
                .call(3, 2, "a", "main", 100, 50)
                .call(4, 2, "b", "main", 160, 40)
                .call(5, 2, "back", "grad", 500, 50)
                .call(6, 2, "after", "main", 3000, 50)
                .link();
        assertThat(named(result, "back").interThread())
                .isEqualTo(named(result, "b").id());
        assertThat(named(result, "after").interThread())
                .isEqualTo(named(result, "back").id());
        assertThat(named(result, "b").interThread()).isEqualTo(OpFacts.NONE);
    }

    @Test
    void addsADeviceDependencyAfterBlockingCalls() {
        ConvertedTrace conversion = new Recording()
                .call(3, 2, "a", "t", 100, 50)
                .launch(3, 7, "t", 110, "k", 120, 300, 1)
                .call(4, 2, "item", "t", 160, 265)
                .runtime(4, 8, "cudaStreamSynchronize", "t", 162, 260)
                .call(5, 2, "next", "t", 430, 20)
                .convert();
        assertThat(named(conversion, "next").dataDeps())
                .containsExactly(
                        named(conversion, "item").id(), named(conversion, "k").id());
        // Waiting time is not work.
        assertThat(named(conversion, "item").durationMicros()).isEqualTo(5);
    }

    @Test
    void waitsForTheStreamsOfRecordedSynchronisations() {
        Recording recording = new Recording()
                .call(3, 2, "a", "t", 100, 50)
                .launch(3, 1, "t", 101, "k1", 120, 300, 1)
                .runtime(3, 2, "cudaEventRecord", "t", 104, 1)
                .launch(3, 3, "t", 106, "late", 425, 10, 1)
                .runtime(3, 4, "cudaStreamWaitEvent", "t", 108, 1)
                .launch(3, 5, "t", 110, "k2", 430, 10, 2)
                .call(4, 2, "sync", "t", 160, 400)
                .runtime(4, 6, "cudaStreamSynchronize", "t", 162, 390)
                .call(5, 2, "next", "t", 600, 20);
        recording
                .events
                .event(EventKind.SYNC, "Stream Wait Event", "s", 108, 1)
                .correlation(4)
                .sync(new SyncFacts(SyncFacts.Kind.STREAM_WAIT, 2, 1, 2));
        recording
                .events
                .event(EventKind.SYNC, "Stream Sync", "s", 162, 390)
                .correlation(6)
                .sync(new SyncFacts(SyncFacts.Kind.STREAM, 2, -1, -1));
        ConvertedTrace conversion = recording.convert();
        assertThat(named(conversion, "k2").dataDeps())
                .containsExactly(
                        named(conversion, "a").id(), named(conversion, "k1").id());
        assertThat(named(conversion, "next").dataDeps())
                .containsExactly(
                        named(conversion, "sync").id(), named(conversion, "k2").id());
        assertThat(named(conversion, "late").dataDeps())
                .as("streams keep their order")
                .containsExactly(
                        named(conversion, "a").id(), named(conversion, "k1").id());
    }

    @Test
    void keepsEveryDeviceOperatorWithoutCycles() {
        qt().withExamples(60).forAll(integers().between(1, 1_000_000)).checkAssert(seed -> {
            Recording recording = random(new Random(seed));
            LinkResult linked = recording.link();
            assertThat(linked.linked()).isEqualTo(linked.deviceOps());
            List<EtNode> nodes = recording.convert().toList();
            TreeMap<Long, EtNode> done = new TreeMap<>();
            List<EtNode> left = new ArrayList<>(nodes);
            while (!left.isEmpty()) {
                int before = left.size();
                left.removeIf(node -> isReady(node, done) && done.put(node.id(), node) == null);
                assertThat(left).as("nodes that never become ready").hasSizeLessThan(before);
            }
            assertThat(nodes.stream()
                            .filter(node -> node.longAttribute("is_cpu_op").orElse(1) == 0))
                    .hasSize(linked.deviceOps());
        });
    }

    private static boolean isReady(EtNode node, TreeMap<Long, EtNode> done) {
        for (long id : node.dataDeps()) {
            if (!done.containsKey(id)) {
                return false;
            }
        }
        for (long id : node.ctrlDeps()) {
            if (!done.containsKey(id)) {
                return false;
            }
        }
        return true;
    }

    private static Recording random(Random random) {
        Recording recording = new Recording();
        double[] now = {100, 150};
        long id = 3;
        for (int i = 0; i < 40; i++) {
            int thread = random.nextInt(2);
            double start = now[thread] + random.nextInt(2500);
            double lasts = 20 + random.nextInt(50);
            recording.call(id, 2, "op" + i, "t" + thread, start, lasts);
            for (int k = random.nextInt(3); k > 0; k--) {
                int stream = random.nextInt(3);
                int correlation = random.nextInt(10) == 0 ? 100_000 + i : i * 10 + k;
                if (correlation < 100_000) {
                    recording.runtime(id, correlation, "cudaLaunchKernel", "t" + thread, start + k, 1);
                }
                recording.kernel(id, correlation, "k" + i + "." + k, start + 10 + random.nextInt(200), 5, stream);
            }
            if (random.nextInt(6) == 0) {
                recording.runtime(id, 50_000 + i, "cudaDeviceSynchronize", "t" + thread, start + 12, lasts - 15);
            }
            now[thread] = start + lasts;
            id += 1 + random.nextInt(3);
        }
        return recording;
    }
}
