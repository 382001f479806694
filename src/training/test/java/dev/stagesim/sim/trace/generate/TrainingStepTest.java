package dev.stagesim.sim.trace.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.generate.TrainingOptions.Device;
import dev.stagesim.sim.trace.generate.TrainingOptions.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrainingStepTest {
    private static final Device DEVICE = new Device(150e6, 2e6);

    private static TrainingOptions options(
            ModelCard model, Split split, int batches, MicroBatchOrder schedule, boolean sharded) {
        return new TrainingOptions(model, split, batches, 1, 512, schedule, DEVICE, sharded);
    }

    private static List<List<EtNode>> traces(TrainingOptions options) {
        List<List<EtNode>> traces = new ArrayList<>();
        for (int npu = 0; npu < options.split().npus(); npu++) {
            traces.add(TrainingStep.nodes(options, npu));
        }
        return traces;
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_2_1b, 1, 1, 1, 1, 1, GPIPE, false",
        "llama3_2_1b, 2, 2, 2, 1, 3, ONE_F_ONE_B, false",
        "llama3_2_1b, 1, 4, 1, 1, 2, ONE_F_ONE_B, false",
        "llama3_2_1b, 1, 3, 2, 1, 5, GPIPE, true",
        "mixtral_8x7b, 2, 2, 4, 2, 2, ONE_F_ONE_B, false",
        "mixtral_8x7b, 1, 1, 4, 4, 1, ONE_F_ONE_B, true",
        "deepseek_v2_lite, 2, 3, 2, 2, 4, ONE_F_ONE_B, true",
    })
    void generatesConsistentTraces(
            String model, int tp, int pp, int dp, int ep, int batches, MicroBatchOrder schedule, boolean sharded) {
        TrainingOptions options = options(card(model), new Split(tp, pp, dp, ep), batches, schedule, sharded);
        assertThat(options.problems("")).isEmpty();
        List<List<EtNode>> traces = traces(options);
        GeneratedTraces.assertSound(traces);

        Map<Integer, List<Integer>> groups = new TrainingLayout(options).groups();
        Map<String, List<String>> calls = new TreeMap<>();
        for (int npu = 0; npu < traces.size(); npu++) {
            Map<String, List<String>> own = new TreeMap<>();
            for (EtNode node : traces.get(npu)) {
                if (node.type() == NodeType.COMM_COLL_NODE) {
                    String group = node.textAttribute(EtNames.PG_NAME).orElseThrow();
                    assertThat(groups.get(Integer.parseInt(group)))
                            .as("%s", node)
                            .contains(npu);
                    own.computeIfAbsent(group, none -> new ArrayList<>())
                            .add(GeneratedTraces.number(node, EtNames.COMM_TYPE) + " of "
                                    + GeneratedTraces.number(node, EtNames.COMM_SIZE));
                }
            }
            // All members of a group call the same collectives in the same order.
            own.forEach((group, list) -> assertThat(calls.merge(group, list, (first, second) -> first))
                    .isEqualTo(list));
        }
        assertThat(calls.keySet().stream().map(Integer::parseInt)).containsExactlyInAnyOrderElementsOf(groups.keySet());
    }

    private static ModelCard card(String name) {
        return CardFiles.model(name.equals("deepseek_v2_lite") ? "deepseek_ai_deepseek_v2_lite" : name);
    }

    @ParameterizedTest
    @CsvSource({"llama3_8b, 2, 1", "llama3_2_1b, 2, 1", "mixtral_8x7b, 1, 4", "deepseek_v2_lite, 1, 2"})
    void containsTheWeightsOfTheModel(String name, int tp, int ep) {
        ModelCard model = card(name);
        TrainingOptions options = options(model, new Split(tp, 1, ep, ep), 1, MicroBatchOrder.GPIPE, false);
        long touched = 0;
        for (int npu = 0; npu < tp * ep; npu++) {
            for (EtNode node : TrainingStep.nodes(options, npu)) {
                touched += node.name().equals("optimizer") ? GeneratedTraces.number(node, EtNames.TENSOR_SIZE) / 16 : 0;
            }
        }
        // Each of ep copies contains all weights other than experts.
        long routed = ep == 1 ? 0 : model.size().parameters() - withoutExperts(model);
        long expected = ep * (model.size().parameters() - routed) + routed;
        assertThat((double) touched / expected).isBetween(0.999, 1.001);
    }

    private static long withoutExperts(ModelCard model) {
        long expert = ModelSize.matrices(model, model.experts().moeFfnDim().orElseThrow());
        long layers = IntStream.range(0, model.shape().numLayers())
                .filter(layer -> ModelSize.isMixture(model, layer))
                .count();
        return model.size().parameters()
                - layers * expert * model.experts().numExperts().orElseThrow();
    }

    @Test
    void computesSixOperationsPerWeightAndToken() {
        ModelCard model = CardFiles.model("llama3_8b");
        TrainingOptions options = options(model, new Split(1, 1, 1, 1), 4, MicroBatchOrder.GPIPE, false);
        double flops = 0;
        for (EtNode node : TrainingStep.nodes(options, 0)) {
            flops += node.longAttribute(EtNames.NUM_OPS).orElse(0);
        }
        double tokens = 4.0 * 512;
        double embedding = (double) model.shape().vocabSize() * model.shape().hiddenSize();
        double scores = 12.0
                * tokens
                * 512
                * model.shape().numHeads()
                * model.shape().headDim()
                * model.shape().numLayers();
        assertThat(flops)
                .isCloseTo(6 * tokens * (model.size().parameters() - embedding) + scores, withinPercentage(0.1));
    }

    @Test
    void keepsFewMicroBatchesInFlight() {
        assertThat(MicroBatchOrder.ONE_F_ONE_B.passes(1, 4, 4))
                .extracting(pass -> (pass.isForward() ? "F" : "B") + pass.batch())
                .containsExactly("F0", "F1", "F2", "B0", "F3", "B1", "B2", "B3");
        assertThat(MicroBatchOrder.ONE_F_ONE_B.passes(3, 4, 2))
                .extracting(pass -> (pass.isForward() ? "F" : "B") + pass.batch())
                .containsExactly("F0", "B0", "F1", "B1");
    }

    @Test
    void rejectsNumbersThatDoNotDivide() {
        TrainingOptions options = new TrainingOptions(
                CardFiles.model("llama3_8b"),
                new Split(5, 40, 3, 2),
                1,
                1,
                1 << 20,
                MicroBatchOrder.GPIPE,
                DEVICE,
                false);
        assertThat(options.problems("workload."))
                .extracting(problem -> problem.where())
                .containsExactly(
                        "workload.parallelism.tp",
                        "workload.parallelism.pp",
                        "workload.parallelism.ep",
                        "workload.parallelism.ep",
                        "workload.training.sequence");
    }

    /** Experts work, and tokens travel, in the narrow width; the projections around them belong to every token. */
    @Test
    void computesLatentExpertsInTheNarrowWidth() {
        ModelCard wide = CardFiles.model("mixtral_8x7b");
        ModelCard narrow = CardFiles.model("mixtral_8x7b", new String[] {"model.moe_hidden_size=1024"});
        Split split = new Split(1, 1, 4, 4);
        TrainingCost whole = new TrainingCost(options(wide, split, 1, MicroBatchOrder.GPIPE, false));
        TrainingCost latent = new TrainingCost(options(narrow, split, 1, MicroBatchOrder.GPIPE, false));
        assertThat(4 * latent.experts().weights()).isEqualTo(whole.experts().weights());
        assertThat(4 * latent.routed()).isEqualTo(whole.routed());
        assertThat(latent.shared().weights() - whole.shared().weights()).isEqualTo(2L * 1024 * 4096);
    }
}
