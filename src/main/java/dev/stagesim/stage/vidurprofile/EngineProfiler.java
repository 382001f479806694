package dev.stagesim.stage.vidurprofile;

import dev.stagesim.bench.reference.EngineLimits;
import dev.stagesim.bench.reference.OperatorProfile;
import dev.stagesim.bench.reference.Pace;
import dev.stagesim.bench.reference.ReferenceEngine;
import dev.stagesim.bench.reference.StepClock.Part;
import dev.stagesim.io.bundle.BundleLayout;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.stage.EngineSetup;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Measures a bundle of the built-in engine on this machine. */
final class EngineProfiler {
    /** What the columns of {@code mlp.csv} hold, behind the embedding, whose time is among the host's. */
    private static final List<Part> TOKEN_PARTS = List.of(
            Part.INPUT_LAYERNORM,
            Part.ATTN_PRE_PROJ,
            Part.ATTN_ROPE,
            Part.ATTN_POST_PROJ,
            Part.POST_ATTENTION_LAYERNORM,
            Part.MLP_UP_PROJ,
            Part.MLP_ACT,
            Part.MLP_DOWN_PROJ,
            Part.ADD);

    /** What the columns of {@code cpu_overheads.csv} hold. */
    private static final List<Part> HOST_PARTS =
            List.of(Part.SCHEDULE, Part.SAMPLER, Part.PREPARE_INPUTS, Part.PROCESS_OUTPUTS);

    private final ModelCard model;
    private final HardwareCard hardware;
    private final ProfileSettings.Reference settings;
    private final EngineSettings how;
    private final StageContext context;

    EngineProfiler(
            ModelCard model,
            HardwareCard hardware,
            ProfileSettings.Reference settings,
            EngineSettings how,
            StageContext context) {
        this.model = model;
        this.hardware = hardware;
        this.settings = settings;
        this.how = how;
        this.context = context;
    }

    /** All that keeps the engine from being measured with these settings. */
    static List<Problem> problems(ModelCard model, ProfileSettings.Reference settings, EngineSettings how) {
        List<Problem> problems = new ArrayList<>(EngineLimits.problems(model, how.maxParametersM()));
        ProfileSettings.EngineGrid grid = settings.grid();
        some(problems, "tokens", grid.tokens());
        some(problems, "chunks", grid.chunks());
        some(problems, "kv_tokens", grid.kvTokens());
        some(problems, "batch_sizes", grid.batchSizes());
        return problems;
    }

    private static void some(List<Problem> problems, String key, List<Integer> sizes) {
        if (sizes.isEmpty()) {
            problems.add(Problem.of("config error", "profile.grid." + key, "the list is empty, expected sizes"));
        }
    }

    void run() throws IOException {
        Supplier<Pace> pace = EngineSetup.pace(how);
        ReferenceEngine engine = EngineSetup.engine(model, how);
        context.progress("warming the engine up", 0, settings.repeats() + 1L);
        ReferenceEngine.WarmedUp warm = engine.warmUp(warmUpSpec(), EngineSetup.warmUpNs(how), pace);
        OperatorProfile.Result measured = OperatorProfile.measure(
                engine,
                pace,
                grid(),
                settings.blockSize(),
                settings.repeats(),
                (what, done, total) -> context.progress(what, done + 1L, total + 1L));
        write(warm, measured);
    }

    /** Sizes without repetition, ascending; what does not fit the model's context is left out. */
    private OperatorProfile.Grid grid() {
        int most = model.maxPosition();
        List<Integer> chunks = sizes(settings.grid().chunks(), most);
        int room = most - chunks.get(chunks.size() - 1);
        return new OperatorProfile.Grid(
                sizes(settings.grid().tokens(), most),
                chunks,
                sizes(settings.grid().kvTokens(), Math.max(0, room)),
                List.copyOf(new TreeSet<>(settings.grid().batchSizes())));
    }

    private static List<Integer> sizes(List<Integer> wanted, int most) {
        TreeSet<Integer> sizes = new TreeSet<>(wanted);
        TreeSet<Integer> kept = new TreeSet<>(sizes.headSet(most, true));
        if (kept.isEmpty() || kept.size() < sizes.size()) {
            kept.add(most);
        }
        return List.copyOf(kept);
    }

    private ServingSpec warmUpSpec() {
        ClusterSettings cluster = new ClusterSettings(
                1, 1, 1, 0, Optional.of(1024.0), ClusterSettings.GlobalScheduler.ROUND_ROBIN, Optional.empty());
        SchedulerSettings scheduler = new SchedulerSettings.Sarathi(16, settings.blockSize(), 0, Optional.empty(), 128);
        return EngineSetup.spec(model, hardware, cluster, scheduler, Math.min(512, model.maxPosition()));
    }

    private void write(ReferenceEngine.WarmedUp warm, OperatorProfile.Result measured) throws IOException {
        String device = BundleLayout.slug(hardware.name());
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
                        HOST_PARTS.stream()
                                .map(part -> stats(row.samples(), part))
                                .toList(),
                        0))
                .toList());
        PredictionQuality quality = PredictionQuality.ofWritten(
                model, hardware, settings.blockSize(), List.of(1), settings.quality(), context);
        new EngineReport(model, hardware, settings, how, warm, measured, quality).write(context);
    }

    private static List<Stats> operators(Map<Part, double[]> samples) {
        List<Stats> all = new ArrayList<>(List.of(Stats.NONE));
        TOKEN_PARTS.forEach(part -> all.add(stats(samples, part)));
        return all;
    }

    private static Stats stats(Map<Part, double[]> samples, Part part) {
        return stats(Objects.requireNonNull(samples.get(part)));
    }

    private static Stats stats(double[] values) {
        Moments moments = Moments.of(values);
        return new Stats(moments.min(), moments.max(), moments.mean(), Quantiles.of(values, 0.5), moments.sd());
    }

    /** The error for settings that cannot work. */
    static void check(ModelCard model, ProfileSettings.Reference settings, EngineSettings how) {
        List<Problem> problems = problems(model, settings, how);
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }
}
