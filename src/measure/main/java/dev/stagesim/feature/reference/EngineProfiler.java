package dev.stagesim.feature.reference;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.feature.reference.StepClock.Part;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.PredictionQuality;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Measures a profiling bundle of the reference engine on this machine. */
record EngineProfiler(
        ModelCard model,
        HardwareCard hardware,
        ProfileSettings.Reference settings,
        EngineSettings engineSettings,
        StageContext context) {
    /** Returns the reasons why the engine cannot be measured with these settings. */
    static List<Problem> problems(ModelCard model, ProfileSettings.Reference settings, EngineSettings engineSettings) {
        List<Problem> problems = new ArrayList<>(EngineLimits.problems(model, engineSettings.maxParametersM()));
        ProfileSettings.EngineGrid grid = settings.grid();
        requireSizes(problems, "tokens", grid.tokens());
        requireSizes(problems, "chunks", grid.chunks());
        requireSizes(problems, "kv_tokens", grid.kvTokens());
        requireSizes(problems, "batch_sizes", grid.batchSizes());
        return problems;
    }

    private static void requireSizes(List<Problem> problems, String key, List<Integer> sizes) {
        if (sizes.isEmpty()) {
            problems.add(Problem.config("profile.grid." + key, "the list is empty, expected sizes"));
        }
    }

    void run() throws IOException {
        Supplier<EngineClock> clocks = EngineSetup.clocks(engineSettings);
        ReferenceEngine engine = EngineSetup.engine(model, engineSettings);
        context.progress("warming the engine up", 0, settings.repeats() + 1L);
        ReferenceEngine.WarmedUp warm = engine.warmUp(warmUpSpec(), EngineSetup.warmUpNs(engineSettings), clocks);
        OperatorProfile.Result measured = OperatorProfile.measure(
                engine,
                clocks,
                grid(),
                settings.blockSize(),
                settings.repeats(),
                (what, done, total) -> context.progress(what, done + 1L, total + 1L));
        write(warm, measured);
    }

    /** Returns the distinct sizes in ascending order, limited by the model's context. */
    private OperatorProfile.Grid grid() {
        int context = model.maxPosition();
        List<Integer> chunks = sizes(settings.grid().chunks(), context);
        int room = context - chunks.get(chunks.size() - 1);
        return new OperatorProfile.Grid(
                sizes(settings.grid().tokens(), context),
                chunks,
                sizes(settings.grid().kvTokens(), Math.max(0, room)),
                List.copyOf(new TreeSet<>(settings.grid().batchSizes())));
    }

    private static List<Integer> sizes(List<Integer> requested, int max) {
        TreeSet<Integer> sizes = new TreeSet<>(requested);
        TreeSet<Integer> kept = new TreeSet<>(sizes.headSet(max, true));
        if (kept.isEmpty() || kept.size() < sizes.size()) {
            kept.add(max);
        }
        return List.copyOf(kept);
    }

    private ServingSpec warmUpSpec() {
        ClusterSettings cluster =
                new ClusterSettings(1, 1, 1, 0, Optional.of(1024.0), GlobalPolicy.ROUND_ROBIN, Optional.empty());
        SchedulerSettings scheduler = new SchedulerSpec.Sarathi(16, settings.blockSize(), 0, Optional.empty(), 128);
        return EngineSetup.spec(model, hardware, cluster, scheduler, Math.min(512, model.maxPosition()));
    }

    private void write(ReferenceEngine.WarmedUp warm, OperatorProfile.Result measured) throws IOException {
        String device = PathPart.slug(hardware.name());
        BundleWriter writer = new BundleWriter(context.out(), model, device, device);
        writer.mlp(measured.tokens().stream()
                .map(row -> new BundleRow.Mlp(1, row.tokens(), operators(row.samples())))
                .toList());
        writer.attention(
                measured.attention().stream()
                        .map(row -> new BundleRow.Attention(
                                1,
                                row.batch(),
                                row.chunk(),
                                row.kvTokens(),
                                stats(row.samples()),
                                stats(row.cacheWrites())))
                        .toList(),
                settings.blockSize(),
                "reference");
        writer.hostOverheads(measured.host().stream()
                .map(row -> new BundleRow.Host(
                        1,
                        row.batch(),
                        OperatorProfile.HOST_PARTS.stream()
                                .map(part -> stats(row.samples(), part))
                                .toList(),
                        0))
                .toList());
        PredictionQuality quality = PredictionQuality.ofWritten(
                model, hardware, settings.blockSize(), List.of(1), settings.quality(), context);
        new EngineReport(model, hardware, settings, engineSettings, warm, measured, quality).write(context);
    }

    private static List<Stats> operators(Map<Part, double[]> samples) {
        List<Stats> all = new ArrayList<>(List.of(Stats.NONE));
        OperatorProfile.TOKEN_PARTS.forEach(part -> all.add(stats(samples, part)));
        return all;
    }

    private static Stats stats(Map<Part, double[]> samples, Part part) {
        return stats(Objects.requireNonNull(samples.get(part)));
    }

    private static Stats stats(double[] values) {
        Moments moments = Moments.of(values);
        return new Stats(moments.min(), moments.max(), moments.mean(), Quantiles.of(values, 0.5), moments.sd());
    }

    /** Throws if these settings cannot be measured. */
    static void check(ModelCard model, ProfileSettings.Reference settings, EngineSettings engineSettings) {
        List<Problem> problems = problems(model, settings, engineSettings);
        StageException.refuse(problems);
    }

    /** Writes the description of a profile: {@code summary.md} and {@code provenance.json}. */
    private record EngineReport(
            ModelCard model,
            HardwareCard hardware,
            ProfileSettings.Reference settings,
            EngineSettings engineSettings,
            ReferenceEngine.WarmedUp warm,
            OperatorProfile.Result measured,
            PredictionQuality quality) {
        private static final double MIN_PROCESSOR_SHARE = 0.98;
        private static final int DIGITS = 4;

        void write(StageContext context) throws IOException {
            List<String> warnings = warnings();
            warnings.forEach(context::warn);
            quality.write(context.out());
            summary(warnings).summary(context.out());
            Json.write(
                    context.out().resolve("provenance.json"),
                    JsonValue.object()
                            .put("profiler", "reference")
                            .put("model", model.name())
                            .put("hardware", hardware.name())
                            .put("measured", true)
                            .put("repeats", (long) settings.repeats())
                            .put("clock", clock())
                            .put("engine_seed", engineSettings.seed())
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
            return KeyNames.constant(engineSettings.clock());
        }

        private List<String> warnings() {
            List<String> warnings = new ArrayList<>();
            if (engineSettings.clock() == EngineSettings.Clock.MONOTONIC
                    && measured.processorShare() < MIN_PROCESSOR_SHARE) {
                warnings.add(String.format(
                        Locale.ROOT,
                        "the machine was busy: the engine's thread had %.0f %% of a processor while it was measured",
                        100 * measured.processorShare()));
            }
            warm.warning().ifPresent(warnings::add);
            return warnings;
        }

        private Report summary(List<String> warnings) {
            return new Report("Profile of " + model.name() + " on " + hardware.name())
                    .answer("Measured with the reference engine, one thread, float32, " + clock()
                            + " clock: medians of "
                            + settings.repeats()
                            + " rounds of complete engine steps; see specs/reference-engine.md.")
                    .table(tokens())
                    .table(host())
                    .tables(quality.tables())
                    .items(warnings);
        }

        private DataTable tokens() {
            DataTable table = new DataTable("Median time of one layer by tokens of the step, ms").text("operator");
            List<OperatorProfile.TokenTimes> all = measured.tokens();
            List<OperatorProfile.TokenTimes> shown =
                    List.of(all.get(0), all.get(all.size() / 2), all.get(all.size() - 1));
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
            return KeyNames.constant(part);
        }

        private static String median(Map<Part, double[]> samples, Part part) {
            return Numbers.significant(Quantiles.of(Objects.requireNonNull(samples.get(part)), 0.5), DIGITS);
        }
    }
}
