package dev.stagesim.config.bind;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;

/** Binds a resolved configuration tree to an immutable settings record, or reports all problems of the tree. */
public final class Binder {
    private Binder() {}

    /** Binds strictly: unknown keys are errors. Throws {@link StageException} with all problems. */
    public static <R extends Record> R bind(MapNode tree, Class<R> type) {
        return bind(tree, type, BindOptions.STRICT);
    }

    /**
     * Binds a tree with resolved interpolations. Absent keys take their defaults.
     *
     * @throws StageException (input) with every problem found, in order of the record's keys
     */
    public static <R extends Record> R bind(MapNode tree, Class<R> type, BindOptions options) {
        SettingsSchema schema = SettingsSchema.of(type);
        Binding binding = new Binding(schema.shape(), options);
        Object bound = binding.root(schema.complete(tree));
        if (!binding.problems().isEmpty()) {
            throw StageException.input(binding.problems());
        }
        if (bound == null) {
            throw new IllegalStateException("binding " + type.getName() + " gave neither a record nor a problem");
        }
        return type.cast(bound);
    }

    /** Returns the problems of final values. Unknown keys, missing values and interpolations are skipped. */
    public static List<Problem> wrongValues(MapNode tree, Class<? extends Record> type, boolean composed) {
        SettingsSchema schema = SettingsSchema.of(type);
        MapNode whole = schema.complete(tree);
        Binding binding = new Binding(schema.shape(), BindOptions.STRICT);
        binding.root(whole);
        return binding.problems().stream()
                .filter(problem -> schema.isKnown(problem.where()))
                .filter(problem -> composed || !SchemaPaths.isInChoice(schema.shape(), problem.where()))
                .filter(problem -> isFinal(whole, SchemaPaths.segments(problem.where())))
                .toList();
    }

    private static boolean isFinal(MapNode tree, List<String> path) {
        Node node = Paths.get(tree, path);
        return node instanceof ScalarNode leaf ? !leaf.isMissing() && !leaf.isInterpolation() : node != null;
    }
}
