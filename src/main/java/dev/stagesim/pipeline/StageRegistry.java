package dev.stagesim.pipeline;

import dev.stagesim.model.Feature;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.astrasim.AstraSimStage;
import dev.stagesim.stage.calibrate.CalibrateStage;
import dev.stagesim.stage.compare.CompareStage;
import dev.stagesim.stage.realbench.RealBenchStage;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import dev.stagesim.stage.vidursim.VidurSimStage;
import dev.stagesim.stage.workload.WorkloadStage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The registry of stages, in the order of help and reference pages. */
public final class StageRegistry {
    private static final StageRegistry STANDARD = new StageRegistry(
            List.of(
                    new WorkloadStage(),
                    new RealBenchStage(),
                    new VidurProfileStage(),
                    new VidurSimStage(),
                    new CompareStage(),
                    new CalibrateStage(),
                    new AstraSimStage()),
            true);

    private final List<Stage<?>> own;
    private final boolean withFeatures;
    private volatile @Nullable List<Stage<?>> all;

    private StageRegistry(List<Stage<?>> own, boolean withFeatures) {
        this.own = List.copyOf(own);
        this.withFeatures = withFeatures;
    }

    public StageRegistry(List<Stage<?>> stages) {
        this(stages, false);
        stages();
    }

    /** Returns the stages of the product, one per line, and the stages of features. */
    public static StageRegistry standard() {
        return STANDARD;
    }

    /** Returns all stages. Features are loaded on first use. */
    public List<Stage<?>> stages() {
        List<Stage<?>> known = all;
        if (known == null) {
            List<Stage<?>> listed = new ArrayList<>(own);
            if (withFeatures) {
                Feature.all(Stage.class).forEach(listed::add);
            }
            known = unlike(listed);
            all = known;
        }
        return known;
    }

    private static List<Stage<?>> unlike(List<Stage<?>> stages) {
        Set<String> names = new HashSet<>();
        for (Stage<?> stage : stages) {
            if (!names.add(stage.spec().name())) {
                throw new IllegalArgumentException(
                        "two stages are named " + stage.spec().name());
            }
        }
        return List.copyOf(stages);
    }

    /** Returns the names of all stages, in order. */
    public List<String> names() {
        return stages().stream().map(stage -> stage.spec().name()).toList();
    }

    /** Finds a stage of the product, or of a feature. */
    public Optional<Stage<?>> find(String name) {
        return find(name, own).or(() -> find(name, stages()));
    }

    private static Optional<Stage<?>> find(String name, List<Stage<?>> stages) {
        for (Stage<?> stage : stages) {
            if (stage.spec().name().equals(name)) {
                return Optional.of(stage);
            }
        }
        return Optional.empty();
    }

    /** Returns a stage that another stage declares as upstream. */
    Stage<?> get(String name) {
        return find(name).orElseThrow(() -> new IllegalStateException("no stage is named " + name));
    }
}
