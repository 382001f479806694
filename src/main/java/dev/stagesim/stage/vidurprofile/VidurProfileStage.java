package dev.stagesim.stage.vidurprofile;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Makes a profiling bundle in Vidur's layout. */
public final class VidurProfileStage implements Stage<VidurProfileSettings> {
    private static final StageSpec<VidurProfileSettings> SPEC = new StageSpec<>(
            "vidur_profile",
            "Profile a model on a device: operator times in Vidur's layout.",
            VidurProfileSettings.class,
            BundleTables.ALL,
            1,
            false);

    @Override
    public StageSpec<VidurProfileSettings> spec() {
        return SPEC;
    }

    @Override
    public List<Upstream> upstreams(VidurProfileSettings settings) {
        return List.of();
    }

    @Override
    public List<Path> reads(VidurProfileSettings settings, Path home) throws IOException {
        return settings.profile() instanceof ProfileSettings.Import imported
                ? BundleImporter.reads(settings.model(), settings.hardware(), imported)
                : List.of();
    }

    @Override
    public boolean measures(VidurProfileSettings settings) {
        return settings.profile() instanceof ProfileSettings.Torch || engine(settings);
    }

    private static boolean engine(VidurProfileSettings settings) {
        return settings.profile() instanceof ProfileSettings.Reference;
    }

    @Override
    public List<String> unread(VidurProfileSettings settings) {
        return engine(settings) ? List.of() : List.of("engine");
    }

    @Override
    public void check(VidurProfileSettings settings, Path home) {
        if (settings.profile() instanceof ProfileSettings.Reference reference) {
            EngineProfiler.check(settings.model(), reference, settings.engine());
        }
    }

    @Override
    public void run(VidurProfileSettings settings, StageContext context) throws IOException {
        if (settings.profile() instanceof ProfileSettings.Roofline roofline) {
            new RooflineProfiler(settings.model(), settings.hardware(), roofline, context).run();
        } else if (settings.profile() instanceof ProfileSettings.Import imported) {
            new BundleImporter(settings.model(), settings.hardware(), imported, context).run();
        } else if (settings.profile() instanceof ProfileSettings.Torch torch) {
            new TorchProfiler(settings.model(), settings.hardware(), torch, context).run();
        } else if (settings.profile() instanceof ProfileSettings.Reference reference) {
            check(settings, context.home());
            new EngineProfiler(settings.model(), settings.hardware(), reference, settings.engine(), context).run();
        } else {
            throw new IllegalStateException(
                    "no profiler for " + settings.profile().getClass());
        }
    }
}
