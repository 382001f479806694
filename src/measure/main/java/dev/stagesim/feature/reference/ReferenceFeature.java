package dev.stagesim.feature.reference;

import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.stage.realbench.RealBenchStage;
import dev.stagesim.stage.vidurprofile.VidurProfileSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Adds the reference engine as a measured system and as a profiler. */
public final class ReferenceFeature implements Feature {
    @Override
    public int position() {
        return 100;
    }

    @Override
    public List<Object> parts() {
        return List.of(new Measured(), new Profiled());
    }

    /** The source {@code reference}. */
    private static final class Measured implements StageKind<RealBenchSettings> {
        @Override
        public Object choice() {
            return RealSettings.REFERENCE;
        }

        @Override
        public boolean measures(RealBenchSettings settings) {
            return true;
        }

        @Override
        public List<String> ignoredSections(RealBenchSettings settings) {
            return List.of("endpoint");
        }

        @Override
        public void check(RealBenchSettings settings, Path home) {
            List<Problem> problems = new ArrayList<>(EngineMeasurement.problems(settings));
            if (settings.real().file().isPresent()) {
                problems.add(Problem.config(
                        "real.file", "has no effect with real.source=reference, which runs the reference engine"));
            }
            StageException.refuse(problems);
            RealBenchStage.options(settings.real())
                    .refuse(true, true, "the reference engine gives one result with arrival times");
        }

        @Override
        public void run(RealBenchSettings settings, StageContext context) throws IOException {
            RealBenchStage.write(settings, EngineMeasurement.take(settings, context), context);
        }
    }

    /** The profiler {@code reference}. */
    private static final class Profiled implements StageKind<VidurProfileSettings> {
        @Override
        public Object choice() {
            return ProfileSettings.Reference.class;
        }

        @Override
        public void check(VidurProfileSettings settings, Path home) {
            EngineProfiler.check(settings.model(), (ProfileSettings.Reference) settings.profile(), settings.engine());
        }

        @Override
        public void run(VidurProfileSettings settings, StageContext context) throws IOException {
            check(settings, context.home());
            ProfileSettings.Reference profile = (ProfileSettings.Reference) settings.profile();
            new EngineProfiler(settings.model(), settings.hardware(), profile, settings.engine(), context).run();
        }
    }
}
