package dev.stagesim.stage.vidurprofile;

import dev.stagesim.bench.reference.OperatorProfile;
import dev.stagesim.bench.reference.ReferenceEngine;
import dev.stagesim.bench.reference.StepClock.Part;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What a profile of the built-in engine is, for people ({@code summary.md}) and programs ({@code provenance.json}). */
record EngineReport(
        ModelCard model,
        HardwareCard hardware,
        ProfileSettings.Reference settings,
        EngineSettings how,
        ReferenceEngine.WarmedUp warm,
        OperatorProfile.Result measured,
        PredictionQuality quality) {
    private static final double QUIET_SHARE = 0.98;
    private static final double NS_PER_S = 1e9;
    private static final int DIGITS = 4;

    void write(StageContext context) throws IOException {
        List<String> warnings = warnings();
        warnings.forEach(context::warn);
        quality.write(context.out());
        Files.writeString(context.out().resolve("summary.md"), summary(warnings));
        Json.write(
                context.out().resolve("provenance.json"),
                JsonValue.object()
                        .put("profiler", "reference")
                        .put("model", model.name())
                        .put("hardware", hardware.name())
                        .put("measured", true)
                        .put("repeats", (long) settings.repeats())
                        .put("clock", clock())
                        .put("engine_seed", how.seed())
                        .put("threads", 1L)
                        .put("warm_up_rounds", (long) warm.rounds())
                        .put("warm_up_s", warm.ns() / NS_PER_S)
                        .put("warm_up_settled", warm.settled())
                        .put("processor_share", measured.processorShare())
                        .build());
        context.headline("token_rows", measured.tokens().size());
        context.headline("attention_rows", measured.attention().size());
        context.headline("host_rows", measured.host().size());
        context.headline("engine_processor_share", measured.processorShare());
    }

    private String clock() {
        return how.clock().name().toLowerCase(Locale.ROOT);
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (how.clock() == EngineSettings.Clock.MONOTONIC && measured.processorShare() < QUIET_SHARE) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "the machine was busy: the engine's thread had %.0f %% of a processor while it was measured",
                    100 * measured.processorShare()));
        }
        if (!warm.settled()) {
            warnings.add(
                    warm.rounds() == 0
                            ? "the engine was not warmed up (engine.warm_up=0)"
                            : "the engine was still getting faster when its warm-up was cut off");
        }
        return warnings;
    }

    private String summary(List<String> warnings) {
        Markdown out = new Markdown()
                .heading(1, "Profile of " + model.name() + " on " + hardware.name())
                .paragraph("Measured of the built-in engine, one thread, float32, " + clock() + " clock: medians of "
                        + settings.repeats()
                        + " rounds through whole steps of the engine; specs/reference-engine.md has the cases.")
                .table(tokens())
                .table(host());
        quality.tables().forEach(out::table);
        warnings.forEach(warning -> out.item("", warning));
        return out.endList().build();
    }

    private DataTable tokens() {
        DataTable table = new DataTable("Median time of one layer by tokens of the step, ms").text("operator");
        List<OperatorProfile.TokenTimes> all = measured.tokens();
        List<OperatorProfile.TokenTimes> shown = List.of(all.get(0), all.get(all.size() / 2), all.get(all.size() - 1));
        shown.forEach(row -> table.number(Integer.toString(row.tokens())));
        for (Part part : all.get(0).samples().keySet()) {
            List<String> cells = new ArrayList<>(List.of(name(part)));
            shown.forEach(row -> cells.add(median(row.samples(), part)));
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private DataTable host() {
        DataTable table = new DataTable("Median time of the host by requests of the step, ms").text("part");
        measured.host().forEach(row -> table.number(Integer.toString(row.batch())));
        for (Part part : measured.host().get(0).samples().keySet()) {
            List<String> cells = new ArrayList<>(List.of(name(part)));
            measured.host().forEach(row -> cells.add(median(row.samples(), part)));
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static String name(Part part) {
        return part.name().toLowerCase(Locale.ROOT);
    }

    private static String median(Map<Part, double[]> samples, Part part) {
        return Numbers.significant(Quantiles.of(Objects.requireNonNull(samples.get(part)), 0.5), DIGITS);
    }
}
