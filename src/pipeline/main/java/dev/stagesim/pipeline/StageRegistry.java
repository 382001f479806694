package dev.stagesim.pipeline;

import dev.stagesim.model.Feature;
import dev.stagesim.stage.Stage;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The registry of stages, in the order of help and reference pages. */
public final class StageRegistry {
    private final List<Stage<?>> stages;

    public StageRegistry(List<Stage<?>> stages) {
        Set<String> names = new HashSet<>();
        for (Stage<?> stage : stages) {
            if (!names.add(stage.spec().name())) {
                throw new IllegalArgumentException(
                        "two stages are named " + stage.spec().name());
            }
        }
        this.stages = List.copyOf(stages);
    }

    /** Returns the stages of this build. */
    public static StageRegistry standard() {
        return Standard.REGISTRY;
    }

    /** Returns all stages. */
    public List<Stage<?>> stages() {
        return stages;
    }

    /** Returns the names of all stages, in order. */
    public List<String> names() {
        return stages.stream().map(stage -> stage.spec().name()).toList();
    }

    /** Finds a stage by its name. */
    public Optional<Stage<?>> find(String name) {
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

    /** The stages of all features, loaded on first use. */
    private static final class Standard {
        private static final StageRegistry REGISTRY = new StageRegistry(
                Feature.all(Stage.class).stream().<Stage<?>>map(stage -> stage).toList());
    }
}
