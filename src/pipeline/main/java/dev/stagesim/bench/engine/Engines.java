package dev.stagesim.bench.engine;

import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.List;

/** The optional engines of all features. */
public final class Engines {
    private static final List<Engine> ALL = Feature.all(Engine.class);

    private Engines() {}

    public static List<Engine> all() {
        return ALL;
    }

    /**
     * Returns the engine with a name.
     *
     * @throws StageException (input) if it does not exist
     */
    public static Engine find(String name) {
        List<String> names = ALL.stream().map(Engine::name).toList();
        return ALL.stream()
                .filter(engine -> engine.name().equals(name))
                .findFirst()
                .orElseThrow(() -> StageException.input(Problem.of("usage error", name, "no such engine")
                        .options(names)
                        .didYouMean(Suggest.near(name, names))));
    }
}
