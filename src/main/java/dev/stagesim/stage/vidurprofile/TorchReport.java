package dev.stagesim.stage.vidurprofile;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a measured profile ran on, for people ({@code summary.md}) and programs ({@code provenance.json}). */
record TorchReport(
        ModelCard model,
        HardwareCard hardware,
        ProfileSettings.Torch settings,
        JsonAt environment,
        PredictionQuality quality) {
    private static final int DIGITS = 4;

    void write(
            StageContext context,
            List<BundleRow.Mlp> mlp,
            List<BundleRow.Attention> attention,
            List<String> leftOut,
            List<String> notMeasured)
            throws IOException {
        List<String> warnings = warnings(leftOut, notMeasured);
        warnings.forEach(context::warn);
        quality.write(context.out());
        Files.writeString(context.out().resolve("summary.md"), summary(mlp, warnings));
        Json.write(
                context.out().resolve("provenance.json"),
                JsonValue.object()
                        .put("profiler", "torch")
                        .put("model", model.name())
                        .put("hardware", hardware.name())
                        .put("measured", true)
                        .put("repeats", (long) settings.repeats())
                        .put("warmup", (long) settings.warmup())
                        .put("environment", environment.value())
                        .put("left_out", JsonValue.strings(leftOut))
                        .put("not_measured", JsonValue.strings(notMeasured))
                        .build());
        context.headline("token_rows", mlp.size());
        context.headline("attention_rows", attention.size());
        context.headline("layer_32_tokens_ms", layer(mlp, 32));
    }

    private List<String> warnings(List<String> leftOut, List<String> notMeasured) {
        List<String> warnings = new ArrayList<>();
        String device = environment.get("device").asString();
        warnings.add("measured on '" + device + "' ("
                + environment.get("device_type").asString() + "), filed under hardware '" + hardware.name() + "'");
        if (!leftOut.isEmpty()) {
            warnings.add(leftOut.size() + " sizes did not fit the device's memory: "
                    + leftOut.stream().limit(3).collect(Collectors.joining(", "))
                    + (leftOut.size() > 3 ? ", ..." : ""));
        }
        if (model.slidingWindow().isPresent()) {
            warnings.add("attention is measured over the whole context; the model's sliding windows are not");
        }
        if (!notMeasured.isEmpty()) {
            warnings.add("not measured: " + String.join("; ", notMeasured)
                    + "; bring network/ from another bundle for these");
        }
        return warnings;
    }

    /** Token operators of a layer at the size nearest to {@code tokens}, on one device. */
    private static double layer(List<BundleRow.Mlp> rows, int tokens) {
        BundleRow.Mlp nearest = nearest(rows, tokens);
        double sum = 0;
        for (int i = 1; i < nearest.operators().size(); i++) {
            sum += nearest.operators().get(i).median();
        }
        return sum;
    }

    private static BundleRow.Mlp nearest(List<BundleRow.Mlp> rows, int tokens) {
        BundleRow.Mlp best = rows.get(0);
        for (BundleRow.Mlp row : rows) {
            boolean nearer = Math.abs(row.tokens() - tokens) < Math.abs(best.tokens() - tokens);
            best = row.tensorParallel() == best.tensorParallel() && nearer ? row : best;
        }
        return best;
    }

    private String summary(List<BundleRow.Mlp> mlp, List<String> warnings) {
        Markdown out = new Markdown()
                .heading(1, "Profile of " + model.name() + " on " + hardware.name())
                .paragraph("Measured with PyTorch " + environment.get("torch").asString() + ", "
                        + environment.get("dtype").asString() + ", medians of " + settings.repeats() + " runs after "
                        + settings.warmup() + ". The cache is contiguous, not paged; specs/profiling.md has the cases.")
                .table(samples(mlp));
        quality.tables().forEach(out::table);
        warnings.forEach(warning -> out.item("", warning));
        return out.endList().build();
    }

    private static DataTable samples(List<BundleRow.Mlp> rows) {
        List<BundleRow.Mlp> shown = List.of(nearest(rows, 1), nearest(rows, 64), nearest(rows, 1024));
        DataTable table = new DataTable("Median time of one layer on one device, ms").text("operator");
        List<BundleRow.Mlp> distinct = shown.stream().distinct().toList();
        distinct.forEach(row -> table.number(row.tokens() + (row.tokens() == 1 ? " token" : " tokens")));
        for (int i = 0; i < BundleTables.MLP_OPERATORS.size(); i++) {
            List<String> cells = new ArrayList<>(List.of(BundleTables.MLP_OPERATORS.get(i)));
            for (BundleRow.Mlp row : distinct) {
                cells.add(Numbers.significant(row.operators().get(i).median(), DIGITS));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }
}
