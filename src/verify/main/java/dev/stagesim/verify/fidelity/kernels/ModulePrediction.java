package dev.stagesim.verify.fidelity.kernels;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.verify.fidelity.corpus.Cards;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The time of the attention of a layer with all its products. */
record ModulePrediction(KernelTable.Row row, Layers layers) {
    private static final double US_PER_MS = 1e3;

    /**
     * Minimum times in which a host of class 1 launches the kernels of a prompt with sparse attention without a graph.
     * The tables of TensorRT-LLM are measured with graphs.
     */
    private static final Map<String, Double> HOST_US = Map.of("sglang", 800.0, "vllm", 1400.0);

    private static final Map<String, String> MODELS = Map.of(
            "DeepseekV3ForCausalLM", "deepseek_ai_deepseek_v3",
            "DeepseekV32ForCausalLM", "deepseek_ai_deepseek_v3_2",
            "GlmMoeDsaForCausalLM", "zai_org_glm_5");

    private static final Operator[] OPERATORS = {
        Operator.ATTN_PRE_PROJ, Operator.ATTN_POST_PROJ, Operator.ATTN_ROPE, Operator.ATTN_KV_CACHE_SAVE
    };

    double micros() {
        boolean isSparsePrompt = row.text("operation").startsWith("dsa_context");
        double hostUs = HOST_US.getOrDefault(row.text("engine").toLowerCase(Locale.ROOT), 0.0);
        return Math.max(deviceMicros(), isSparsePrompt ? layers.hardware.hostClass() * hostUs : 0);
    }

    private double deviceMicros() {
        LayerTimes times = layers.of(row);
        int batch = (int) row.number("batch");
        int chunk = (int) row.number("isl");
        int before = (int) row.number("step");
        double sum = 0;
        for (Operator operator : OPERATORS) {
            sum += times.milliseconds(operator, batch * chunk);
        }
        if (row.kind() == KernelKind.DECODE_MODULE) {
            return US_PER_MS * (sum + times.decodeMilliseconds(batch, before + chunk));
        }
        // One kernel computes all prompts, so its fixed time counts once.
        double first = times.prefillMilliseconds(before, chunk);
        double fixed = times.prefillKernelMilliseconds();
        double all = fixed > 0
                ? Math.max(first, fixed + batch * times.addedPrefillMilliseconds(before, chunk))
                : first + (batch - 1) * Math.max(0, first - times.prefillMilliseconds(0, 1));
        return US_PER_MS * (sum + all);
    }

    /** Layers of models on a device, by architecture, formats and heads. */
    static final class Layers {
        private final HardwareCard hardware;
        private final Cards cards;
        private final StepCard engine;
        private final Map<String, Optional<ModelCard>> models = new HashMap<>();
        private final Map<String, LayerTimes> layers = new HashMap<>();

        Layers(HardwareCard hardware, Cards cards, StepCard engine) {
            this.hardware = hardware;
            this.cards = cards;
            this.engine = engine;
        }

        private Optional<ModelCard> model(KernelTable.Row row) {
            return models.computeIfAbsent(row.text("architecture"), name -> Optional.ofNullable(MODELS.get(name))
                    .flatMap(cards::model));
        }

        Optional<String> whyUnknown(KernelTable.Row row) {
            Optional<ModelCard> model = model(row);
            if (model.isEmpty()) {
                return Optional.of("no model card for " + row.text("architecture"));
            }
            return row.number("heads") > model.get().shape().numHeads()
                    ? Optional.of("more heads than " + model.get().name() + " has")
                    : Optional.empty();
        }

        LayerTimes of(KernelTable.Row row) {
            String key = String.join(
                    " ",
                    row.text("architecture"),
                    row.text("gemm_type"),
                    row.text("kv_dtype"),
                    row.text("heads"),
                    row.text("operation"));
            return layers.computeIfAbsent(key, name -> create(row));
        }

        private LayerTimes create(KernelTable.Row row) {
            ModelCard card = model(row).orElseThrow();
            Precision weights = KernelPrediction.format(row.text("gemm_type"));
            Precision cache = row.text("kv_dtype").startsWith("fp8") ? Precision.FP8 : Precision.BF16;
            ModelCard stored = card.stored(weights, weights, cache);
            if (row.text("operation").endsWith("skip_indexer")) {
                stored = KeyRecord.with(
                        ModelCard.class,
                        stored,
                        Map.of("indexLayers", Optional.of(0), "attentionParams", Optional.empty()));
            }
            return new LayerTimes(
                    stored,
                    hardware,
                    engine,
                    Sharding.tensor((int) (card.shape().numHeads() / row.number("heads")), 1));
        }
    }
}
