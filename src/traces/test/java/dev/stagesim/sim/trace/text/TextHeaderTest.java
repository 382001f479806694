package dev.stagesim.sim.trace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parsing of the first line of transformer workloads. */
class TextHeaderTest {
    private static final List<String> LABELS = List.of(
            "model_parallel_NPU_group: 2",
            "ep: 1",
            "pp: 2",
            "vpp: 3",
            "ga: 6",
            "all_gpus: 8",
            "checkpoints: 2 0 1",
            "checkpoint_initiates: 1 2",
            "pp_comm 64");
    private static final String LAYERS = "3\na -1 1 ALLREDUCE 8 2 ALLREDUCE 16 3 ALLREDUCE 32 0\n"
            + "b -1 4 NONE 0 5 NONE 0 6 ALLREDUCE_DP_EP 64 0\nc -1 7 ALLTOALL_EP 8 8 ALLGATHER 0 9 NONE 0 0\n";

    private static TextWorkload workload(String labels) {
        return TextWorkload.parse("w.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD " + labels + "\n" + LAYERS, false);
    }

    private static TextProgram program(String labels, int npus) {
        TextWorkload workload = workload(labels);
        return new TextProgram(
                workload,
                new TextOptions(TextSchema.V1_0_0, false, true, npus, 1, false, 0, TextProgram.groups(workload, npus)));
    }

    private static List<String> names(TextProgram program) {
        return program.nodes().stream()
                .map(node -> node.name() + Arrays.toString(node.parents()) + node.span())
                .toList();
    }

    @Test
    void readsLabelsInAnyOrder() {
        List<String> expected = names(program(String.join(" ", LABELS), 8));
        Random random = new Random(3);
        for (int i = 0; i < 20; i++) {
            List<String> shuffled = new ArrayList<>(LABELS);
            Collections.shuffle(shuffled, random);
            String line = String.join(" ", shuffled);
            assertThat(names(program(line, 8))).as(line).isEqualTo(expected);
            assertThat(TextProgram.npus(workload(line))).hasValue(8);
        }
    }

    /** Numbers before the lists do not change recomputation. */
    @Test
    void recomputesNothingWithoutCheckpoints() {
        String sizes = "model_parallel_NPU_group: 2 ep: 1 pp: 1";
        List<String> plain = names(program(sizes, 8));
        for (String more : List.of("vpp: 1 ga: 6", "ga: 2", "vpp: 3", "ga: 1 all_gpus: 8 vpp: 2", "")) {
            assertThat(names(program(sizes + " " + more + " checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0", 8)))
                    .isEqualTo(plain);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "model_parallel_NPU_group: 2 vp: 1 | unknown label 'vp:'",
                "2 | the number 2 has no label",
                "model_parallel_NPU_group: 2 3 | the number 3 has no label",
                "model_parallel_NPU_group: | expected a whole number of at least 1, found the end",
                "model_parallel_NPU_group: 0 | at least 1, found '0'",
                "model_parallel_NPU_group: 2 pp: x | found 'x'",
                "model_parallel_NPU_group: 2 ga: 1 ga: 1 | appears twice",
                "model_parallel_NPU_group: 2 checkpoints: 2 0 | expected a whole number",
                "model_parallel_NPU_group: 2 checkpoints: 1 3 | layers are 0 to 2",
                "model_parallel_NPU_group: 2 checkpoint_initiates: 1 1 | no checkpoint before layer 1",
                "model_parallel_NPU_group: 2 pp: 3 | do not divide 8 processors",
                "model_parallel_NPU_group: 2 ep: 3 | do not divide 4 replicas",
                "ep: 1 | expected the number of processors that share",
            })
    void rejectsInvalidHeaders(String labels, String message) {
        assertThatThrownBy(() -> program(labels, 8))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("w.txt:1")
                .hasMessageContaining(message);
    }

    @Test
    void rejectsWordsWithoutEffect() {
        for (String header : List.of("DATA 4", "MODEL model_parallel_NPU_group: 4", "HYBRID_DLRM 0 7", "MICRO x")) {
            TextWorkload workload = TextWorkload.parse("w.txt", header + "\n" + LAYERS, false);
            TextOptions options = new TextOptions(TextSchema.V1_0_0, false, true, 8, 1, false, 0, TextGroups.none(8));
            assertThatThrownBy(() -> new TextProgram(workload, options)).hasMessageContaining("has no effect");
        }
    }

    @Test
    void namesTheGroupsOfExperts() {
        TextProgram program = program("model_parallel_NPU_group: 2 ep: 2", 8);
        assertThat(names(program))
                .anyMatch(node -> node.startsWith("COMM_COLL_NODE_b_ALLREDUCE") && node.endsWith("EXPERT_DATA_GROUP"))
                .anyMatch(node -> node.startsWith("COMM_COLL_NODE_c_ALLTOALL") && node.endsWith("EXPERT_GROUP"))
                .noneMatch(node -> node.contains("ALLGATHER"));
        assertThat(names(program("model_parallel_NPU_group: 2 ep: 1", 8)))
                .noneMatch(node -> node.contains("ALLTOALL"))
                .anyMatch(node -> node.startsWith("COMM_COLL_NODE_b_ALLREDUCE"));
    }

    /** Groups of each kind partition the processors, and a group contains the processors that name it. */
    @ParameterizedTest
    @CsvSource({"16, 4, 1, 2", "16, 4, 2, 2", "24, 2, 3, 2", "8, 8, 1, 1", "8, 1, 8, 1", "12, 1, 2, 3", "6, 2, 1, 1"})
    void partitionsTheProcessors(int npus, int model, int experts, int stages) {
        TextGroups groups = new TextGroups(npus, model, experts, stages);
        assertThat(groups.problems()).isEmpty();
        List<List<Integer>> members = groups.members();
        for (TextNode.Span kind :
                List.of(TextNode.Span.MODEL_GROUP, TextNode.Span.DATA_GROUP, TextNode.Span.EXPERT_DATA_GROUP)) {
            TreeSet<Integer> seen = new TreeSet<>();
            for (int npu = 0; npu < npus; npu++) {
                List<Integer> group = members.get(Integer.parseInt(groups.name(kind, npu)) - 1);
                assertThat(group).contains(npu).hasSize(groups.size(kind));
                seen.addAll(group);
            }
            assertThat(seen).hasSize(npus);
        }
        int data = npus / (model * stages);
        List<Integer> first = members.get(Integer.parseInt(groups.name(TextNode.Span.DATA_GROUP, 0)) - 1);
        assertThat(first).hasSize(data).allMatch(npu -> npu < model * data, "in the first stage");
    }
}
