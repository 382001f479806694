package dev.stagesim.stage.vidurprofile;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Roofline;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a computed profile rests on, for people ({@code summary.md}) and programs ({@code provenance.json}), and its
 * headline figures.
 */
record RooflineReport(
        ModelCard model,
        HardwareCard hardware,
        Roofline roofline,
        List<Assumption> assumptions,
        List<Integer> tensorParallelSizes,
        Sizes sizes,
        PredictionQuality quality) {
    private static final int DIGITS = 4;
    private static final int SAMPLE_KV = 1024;
    private static final int SAMPLE_CHUNK = 1024;

    private static final List<Operator> LAYER = List.of(
            Operator.INPUT_LAYERNORM,
            Operator.ATTN_PRE_PROJ,
            Operator.ATTN_ROPE,
            Operator.ATTN_KV_CACHE_SAVE,
            Operator.ATTN_POST_PROJ,
            Operator.POST_ATTENTION_LAYERNORM,
            Operator.MLP_UP_PROJ,
            Operator.MLP_ACT,
            Operator.MLP_DOWN_PROJ,
            Operator.ADD);

    void write(StageContext context) throws IOException {
        Files.writeString(context.out().resolve("summary.md"), summary());
        quality.write(context.out());
        Json.write(context.out().resolve("provenance.json"), provenance());
        context.headline("decode_step_b1_kv1024_ms", decodeStep(1));
        context.headline("decode_step_b32_kv1024_ms", decodeStep(32));
        context.headline("prefill_1024_ms", prefill());
    }

    /** Device time of one decode iteration over all layers, on one device. */
    private double decodeStep(int batch) {
        return model.numLayers() * (tokens(batch) + roofline.decodeMilliseconds(batch, SAMPLE_KV));
    }

    /** Device time of a prompt over all layers, on one device. */
    private double prefill() {
        return model.numLayers() * (tokens(SAMPLE_CHUNK) + roofline.prefillMilliseconds(0, SAMPLE_CHUNK));
    }

    private double tokens(int tokens) {
        return LAYER.stream().mapToDouble(o -> roofline.milliseconds(o, tokens)).sum();
    }

    private String summary() {
        Markdown out = new Markdown()
                .heading(1, "Profile of " + model.name() + " on " + hardware.name())
                .paragraph("Computed from the cards, not measured: each operator takes the greater of its computing and"
                        + " memory time at the rates below, plus a fixed time per kernel. specs/profiling.md has the"
                        + " formulas. Tensor-parallel sizes " + text(tensorParallelSizes) + "; up to "
                        + last(sizes.tokens()) + " tokens, chunks of " + last(sizes.chunks()) + ", "
                        + last(sizes.kvTokens()) + " cached tokens, batches of " + last(sizes.batchSizes()) + ".")
                .table(rates())
                .table(samples());
        quality.tables().forEach(out::table);
        if (model.isMixtureOfExperts()) {
            out.paragraph(
                    "Feed-forward times are averaged over dense and mixture-of-experts layers; tokens are taken to"
                            + " choose experts uniformly and independently.");
        }
        if (model.slidingWindow().isPresent()) {
            out.paragraph("Attention times are averaged over layers with and without the sliding window.");
        }
        return out.build();
    }

    private static String text(List<Integer> sizes) {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static int last(List<Integer> sizes) {
        return sizes.get(sizes.size() - 1);
    }

    private DataTable rates() {
        DataTable table = new DataTable("What the times rest on")
                .text("figure")
                .number("value")
                .text("unit")
                .text("source");
        for (Assumption each : assumptions) {
            table.row(each.name(), Numbers.significant(each.value(), DIGITS), each.unit(), each.source());
        }
        return table;
    }

    private DataTable samples() {
        DataTable table = new DataTable("Time of one layer on one device, ms")
                .text("operator")
                .number("1 token")
                .number("32 tokens")
                .number("1024 tokens");
        for (Operator operator : LAYER) {
            table.row(
                    operator.column(),
                    text(roofline.milliseconds(operator, 1)),
                    text(roofline.milliseconds(operator, 32)),
                    text(roofline.milliseconds(operator, SAMPLE_CHUNK)));
        }
        table.row(
                "attn_decode, 1024 cached",
                text(roofline.decodeMilliseconds(1, SAMPLE_KV)),
                text(roofline.decodeMilliseconds(32, SAMPLE_KV)),
                Numbers.NONE);
        table.row(
                "attn_prefill, nothing cached",
                Numbers.NONE,
                Numbers.NONE,
                text(roofline.prefillMilliseconds(0, SAMPLE_CHUNK)));
        return table;
    }

    private static String text(double ms) {
        return Numbers.significant(ms, DIGITS);
    }

    private JsonValue provenance() {
        return JsonValue.object()
                .put("profiler", "roofline")
                .put("model", model.name())
                .put("model_source", model.source())
                .put("hardware", hardware.name())
                .put("hardware_source", hardware.source())
                .put("measured", false)
                .put("tensor_parallel_sizes", integers(tensorParallelSizes))
                .put(
                        "assumptions",
                        JsonValue.of(
                                assumptions.stream().map(RooflineReport::json).toList()))
                .build();
    }

    private static JsonValue integers(List<Integer> values) {
        return JsonValue.of(values.stream().map(v -> JsonValue.of((long) v)).toList());
    }

    private static JsonValue json(Assumption assumption) {
        JsonObjectBuilder out = JsonValue.object()
                .put("name", assumption.name())
                .put("value", assumption.value())
                .put("source", assumption.source());
        return (assumption.unit().isEmpty() ? out : out.put("unit", assumption.unit())).build();
    }
}
