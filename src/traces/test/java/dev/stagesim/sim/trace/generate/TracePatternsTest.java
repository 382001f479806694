package dev.stagesim.sim.trace.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The product's patterns; golden suites cover the patterns of the reference. */
class TracePatternsTest {
    private static PatternOptions options(int npus) {
        return new PatternOptions(false, npus, 5, 1024, 65_536, -1, false, 3, 4);
    }

    static Stream<String> names() {
        return TracePatterns.all().stream()
                .map(TracePattern::name)
                // Sends complete without a receive.
                .filter(name -> !name.equals("one_comm_send_node"));
    }

    @ParameterizedTest
    @MethodSource("names")
    @Tag("acceptance")
    void generatesTracesThatEndForAnyNumberOfProcessors(String name) {
        TracePattern pattern = TracePatterns.find(name).orElseThrow();
        for (int npus : new int[] {1, 2, 3, 7, 700}) {
            if (npus > 7 && !name.startsWith("parallelismComparisonPipeline")) {
                continue;
            }
            List<List<EtNode>> traces = new ArrayList<>();
            for (int npu = 0; npu < npus; npu++) {
                traces.add(pattern.nodes(npu, options(npus)));
            }
            GeneratedTraces.assertSound(traces);
            if (pattern.isUniform()) {
                assertThat(traces).allSatisfy(nodes -> assertThat(nodes).isEqualTo(traces.get(0)));
            }
        }
    }

    @Test
    void createsDistinctNames() {
        assertThat(TracePatterns.all()).extracting(TracePattern::name).doesNotHaveDuplicates();
        assertThat(TracePatterns.all()).allSatisfy(p -> assertThat(p.doc()).endsWith("."));
    }

    @Test
    void keepsSharesAboveZero() {
        TracePattern pattern =
                TracePatterns.find("parallelismComparisonDataParallel").orElseThrow();
        List<EtNode> nodes = pattern.nodes(0, options(1000));
        assertThat(nodes.get(0).durationMicros()).isEqualTo(1);
        assertThat(pattern.nodes(0, PatternOptions.reference(1000)).get(0).durationMicros())
                .isZero();
    }
}
