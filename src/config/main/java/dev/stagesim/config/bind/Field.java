package dev.stagesim.config.bind;

import dev.stagesim.config.tree.Node;
import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.KeyText;
import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/**
 * One component of a settings record.
 *
 * @param name key in the configuration
 * @param key its documentation
 * @param def its default, or null if the key has no default (the keys of a nested section have separate defaults)
 */
record Field(String name, RecordComponent component, KeyText key, Shape shape, @Nullable Node def, ValueRange limits) {
    /** Returns the resource that the key gives access to, or {@code NONE}. */
    Resource access() {
        Access declared = component.getAnnotation(Access.class);
        return declared != null ? declared.value() : shape.isPathType() ? Resource.FILE : Resource.NONE;
    }

    /** Returns true if the user or a preset must set the key. */
    boolean required() {
        return def == null && !(shape instanceof Shape.Maybe) && !(shape instanceof Shape.Section);
    }
}
