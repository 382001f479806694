package dev.stagesim.config.bind;

import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.KeyNames;
import java.util.ArrayList;
import java.util.List;

/** Lists the keys of a shape. */
final class KeyLister {
    private final List<KeyInfo> keys = new ArrayList<>();

    static List<KeyInfo> list(Shape.Section root) {
        KeyLister lister = new KeyLister();
        lister.section(root, "");
        return List.copyOf(lister.keys);
    }

    /** Returns the paths of keys with this name in all sections, in order of declaration. */
    static List<String> named(List<KeyInfo> keys, String key) {
        return keys.stream()
                .map(KeyInfo::path)
                .filter(path -> path.endsWith("." + key))
                .distinct()
                .toList();
    }

    private void section(Shape.Section section, String path) {
        for (Field field : section.fields()) {
            String at = KeyNames.join(path, field.name());
            keys.add(new KeyInfo(at, field.shape().isPathType(), field.access()));
            below(field.shape().bare(), at);
        }
    }

    private void below(Shape shape, String path) {
        if (shape instanceof Shape.Many many) {
            below(many.element().bare(), path + ".<n>");
        } else if (shape instanceof Shape.Open open) {
            below(open.value().bare(), path + ".<name>");
        } else if (shape instanceof Shape.Section section) {
            section(section, path);
        } else if (shape instanceof Shape.Choice choice) {
            keys.add(new KeyInfo(KeyNames.join(path, choice.key()), false, Resource.NONE));
            choice.variants().all().forEach(section -> section(section, path));
        }
    }

    /** Returns the type as text, without options and range. */
    static String typeText(Shape shape) {
        if (shape instanceof Shape.Maybe maybe) {
            return typeText(maybe.inner()) + " or null";
        }
        if (shape instanceof Shape.Many many) {
            return "list of " + typeText(many.element());
        }
        if (shape instanceof Shape.Open open) {
            return "map of " + typeText(open.value());
        }
        return shape instanceof Shape.Leaf leaf ? leaf.kind().label() : "section";
    }
}
