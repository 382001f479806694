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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The stages there are, in the order of help and reference pages. */
public final class StageRegistry {
    private static final StageRegistry STANDARD = new StageRegistry(Stream.concat(
                    Stream.of(
                            new WorkloadStage(),
                            new RealBenchStage(),
                            new VidurProfileStage(),
                            new VidurSimStage(),
                            new CompareStage(),
                            new CalibrateStage(),
                            new AstraSimStage()),
                    Feature.all(Stage.class).stream())
            .<Stage<?>>map(stage -> stage)
            .toList());

    private final List<Stage<?>> stages;

    public StageRegistry(List<Stage<?>> stages) {
        this.stages = List.copyOf(stages);
        Set<String> names = new HashSet<>();
        for (Stage<?> stage : stages) {
            if (!names.add(stage.spec().name())) {
                throw new IllegalArgumentException(
                        "two stages are named " + stage.spec().name());
            }
        }
    }

    /** The stages of the product, one line each, and those of features. */
    public static StageRegistry standard() {
        return STANDARD;
    }

    public List<Stage<?>> stages() {
        return stages;
    }

    /** Names of all stages, in order. */
    public List<String> names() {
        return stages.stream().map(stage -> stage.spec().name()).toList();
    }

    public Optional<Stage<?>> find(String name) {
        return stages.stream().filter(stage -> stage.spec().name().equals(name)).findFirst();
    }

    /** A stage that another one names as its upstream. */
    Stage<?> get(String name) {
        return find(name).orElseThrow(() -> new IllegalStateException("no stage is named " + name));
    }
}
