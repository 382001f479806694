package dev.stagesim.sim.trace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Extensions and rejections; golden suites cover the behaviour of the reference. */
class TextProgramTest {
    private static final String LAYERS = "a -1 1 ALLREDUCE 8 2 ALLREDUCE 16 3 ALLREDUCE 32 0\n"
            + "b -1 4 NONE 0 5 NONE 0 6 ALLREDUCE 64 0\n"
            + "c -1 7 ALLGATHER 8 8 REDUCESCATTER 8 9 NONE 0 0\n";

    private static TextProgram program(String text, int npus, int passes, boolean dims, int numDims) {
        TextWorkload workload = TextWorkload.parse("w.txt", text, false);
        TextGroups groups = TextProgram.groups(workload, npus);
        return new TextProgram(
                workload, new TextOptions(TextSchema.V1_0_0, false, true, npus, passes, dims, numDims, groups));
    }

    private static List<String> shown(TextProgram program) {
        return program.nodes().stream()
                .map(node -> node.id() + " " + node.name() + " "
                        + Arrays.stream(node.parents()).mapToObj(Long::toString).collect(Collectors.joining(",")))
                .toList();
    }

    @Test
    void omitsCollectivesOfTypeNone() {
        assertThat(shown(program("MODEL\n3\n" + LAYERS, 4, 1, false, 0)))
                .containsExactly(
                        "0 COMP_NODE_a_FWD ",
                        "1 COMM_COLL_NODE_a_ALLREDUCE 0",
                        "2 COMP_NODE_b_FWD 1",
                        "3 COMP_NODE_c_FWD 2",
                        "4 COMM_COLL_NODE_c_ALLGATHER 3",
                        "5 COMP_NODE_c_BWD_IG 4",
                        "6 COMM_COLL_NODE_c_REDUCESCATTER 5",
                        "7 COMP_NODE_c_BWD_WG 5",
                        "8 COMP_NODE_b_BWD_IG 7,6",
                        "9 COMP_NODE_b_BWD_WG 8",
                        "10 COMP_NODE_a_BWD_IG 9",
                        "11 COMP_NODE_a_BWD_WG 10");
    }

    @Test
    void convertsNoneToAllReduceByDefault() {
        TextWorkload workload = TextWorkload.parse("w.txt", "MODEL\n3\n" + LAYERS, false);
        TextProgram program = new TextProgram(
                workload, new TextOptions(TextSchema.V1_0_0, false, false, 4, 1, false, 0, TextGroups.none(4)));
        assertThat(program.nones()).isEqualTo(2);
        assertThat(program.nodes()).hasSize(14);
    }

    @Test
    void splitsATransformerIntoGroups() {
        TextProgram program = program("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n3\n" + LAYERS, 6, 1, false, 0);

        assertThat(program.nodes())
                .filteredOn(TextNode::collective)
                .extracting(TextNode::span)
                .containsExactly(
                        TextNode.Span.MODEL_GROUP,
                        TextNode.Span.MODEL_GROUP,
                        TextNode.Span.MODEL_GROUP,
                        TextNode.Span.DATA_GROUP,
                        TextNode.Span.DATA_GROUP);
        TextGroups groups = program.options().groups();
        assertThat(groups.members())
                .containsExactly(List.of(0, 1), List.of(2, 3), List.of(4, 5), List.of(0, 2, 4), List.of(1, 3, 5));
        assertThat(groups.name(TextNode.Span.MODEL_GROUP, 3)).isEqualTo("2");
        assertThat(groups.name(TextNode.Span.DATA_GROUP, 3)).isEqualTo("5");
    }

    @Test
    void recomputesFromTheCheckpoint() {
        TextProgram program = program(
                "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoints: 1 0"
                        + " checkpoint_initiates: 1 2\n3\n" + LAYERS,
                2,
                1,
                false,
                0);
        assertThat(shown(program))
                .containsSubsequence(
                        "2 COMP_NODE_c_FWD 1",
                        "3 COMP_NODE_a_FWD_RECOMPUTE 2",
                        "4 COMP_NODE_b_FWD_RECOMPUTE 3",
                        "5 COMP_NODE_c_BWD_IG 4");
    }

    @Test
    void usesTheParallelismOfEachLayer() {
        String own = "a -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 32 0 DATA\n"
                + "b -1 4 ALLGATHER 9 5 REDUCESCATTER 9 6 NONE 0 0 MODEL\n";
        assertThat(shown(program("HYBRID_CUSTOMIZED\n2\n" + own, 4, 1, true, 2)))
                .contains("2 COMM_COLL_NODE_b_ALLGATHER 1", "8 COMM_COLL_NODE_a_ALLREDUCE 7")
                .hasSize(9);
    }

    @Test
    void parsesLabelledHeadersAndBlankLines() {
        String text = "\ufeffHYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n3\n"
                + LAYERS.replaceFirst("ALLREDUCE 8", "ALLTOALL 8") + "\n\n";
        assertThat(program(text, 2, 2, false, 0).nodes()).hasSize(24);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DATA%2 | w.txt:2: the layer count is 2, but there are 3 layers",
                "DATAS%3 | did you mean  DATA",
                "HYBRID_DATA_MODEL%3 | would never end with num_dims=1",
                "HYBRID_TRANSFORMER model_parallel_NPU_group: 4%3 | groups of 4 do not divide 6 processors",
                "HYBRID_TRANSFORMER%3 | expected the number of processors that share",
                "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 1 checkpoint_initiates: 1 0%3 | there is no checkpoint before layer 0",
                "HYBRID_DLRM 0%3 | waits for an ALLTOALL of the first layer",
                "HYBRID_CUSTOMIZED%3 | w.txt:3: expected the layer's own parallelism",
            })
    void rejectsProgramsThatWouldHang(String header, String message) {
        String text = header.replace('%', '\n') + "\n" + LAYERS;
        boolean dims = header.startsWith("HYBRID_DATA");
        assertThatThrownBy(() -> program(text, 6, 1, dims, dims ? 1 : 0))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void listsEveryBadCollective() {
        String text = "MICRO\n2\nx 1 1 NONE 0 1 NONE 0 1 ALLGATHER 0 0\ny 1 1 NONE 0 1 NONE 0 1 ALREDUCE -4 0\n";
        assertThatThrownBy(() -> program(text, 2, 1, false, 0))
                .hasMessageContaining("w.txt:3: an ALLGATHER of 0 bytes would never end")
                .hasMessageContaining("w.txt:4: unknown collective 'ALREDUCE'")
                .hasMessageContaining("ALLREDUCE")
                .hasMessageContaining("w.txt:4: a collective cannot have -4 bytes");
        assertThatThrownBy(() -> program("DATA\n1\nx 1 0 NONE 0 0 NONE 0 0 NONE 0 0\n", 2, 1, false, 0))
                .hasMessageContaining("nothing to compute");
    }

    @Test
    void rejectsALabelBeforeTheBottomLayerInEarlierVersions() {
        String text = "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n1\na -1 1 ALLTOALL 1 1 NONE 0 1 NONE 0 1\n";
        assertThat(TextWorkload.parse("t.txt", text, false).header()).hasSize(3);
        assertThatThrownBy(() -> TextWorkload.parse("t.txt", text, true))
                .hasMessageContaining("t.txt:1")
                .hasMessageContaining("DLRM_LAST_BOTTOM_LAYER:");
    }
}
