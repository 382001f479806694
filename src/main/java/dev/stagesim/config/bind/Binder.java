package dev.stagesim.config.bind;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.StageException;

/** Turns a resolved configuration tree into a frozen settings record, or reports everything that is wrong with it. */
public final class Binder {
    private Binder() {}

    /** Binds strictly; unknown keys are errors. Throws {@link StageException} with all problems. */
    public static <R extends Record> R bind(MapNode tree, Class<R> type) {
        return bind(tree, type, BindOptions.STRICT);
    }

    /**
     * Binds a tree whose interpolations are resolved. Absent keys take their defaults.
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
}
