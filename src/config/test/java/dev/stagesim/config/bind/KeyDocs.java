package dev.stagesim.config.bind;

import static java.util.Map.entry;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyText;
import dev.stagesim.model.OnlyIf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Describes every key of a settings record, for the reference page. */
final class KeyDocs {
    private final List<KeyDoc> keys = new ArrayList<>();

    static List<KeyDoc> list(Class<? extends Record> type) {
        KeyDocs lister = new KeyDocs();
        lister.section(SettingsSchema.of(type).shape(), "", List.of());
        return List.copyOf(lister.keys);
    }

    private void section(Shape.Section section, String path, List<String> kinds) {
        for (Field field : section.fields()) {
            String at = KeyNames.join(path, field.name());
            keys.add(describe(field, section, at, kinds));
            below(field.shape(), at, kinds, defaultKind(field));
        }
    }

    static String defaultKind(Field field) {
        boolean isChoice = field.shape().bare() instanceof Shape.Choice;
        Node kind = isChoice && field.def() instanceof MapNode map
                ? map.get(((Shape.Choice) field.shape().bare()).key())
                : null;
        return kind instanceof ScalarNode scalar ? scalar.text() : "";
    }

    private void below(Shape shape, String path, List<String> kinds, String defaultKind) {
        if (shape instanceof Shape.Maybe maybe) {
            below(maybe.inner(), path, kinds, defaultKind);
        } else if (shape instanceof Shape.Many many) {
            below(many.element(), path + ".<n>", kinds, "");
        } else if (shape instanceof Shape.Open open) {
            below(open.value(), path + ".<name>", kinds, "");
        } else if (shape instanceof Shape.Section section) {
            section(section, path, kinds);
        } else if (shape instanceof Shape.Choice choice) {
            choice(choice, path, kinds, defaultKind);
        }
    }

    private void choice(Shape.Choice choice, String path, List<String> kinds, String defaultKind) {
        String at = KeyNames.join(path, choice.key());
        keys.add(kind(choice, at, kinds, defaultKind));
        choice.variants().all().forEach(section -> {
            List<String> deeper = new ArrayList<>(kinds);
            deeper.add(at + "=" + section.variant());
            section(section, path, deeper);
        });
    }

    static KeyDoc kind(Shape.Choice choice, String path, List<String> kinds, String defaultKind) {
        return KeyRecord.of(
                KeyDoc.class,
                Map.ofEntries(
                        entry("path", path),
                        entry("kinds", kinds),
                        entry("type", "one of"),
                        entry("unit", ""),
                        entry("required", defaultKind.isEmpty()),
                        entry("def", defaultKind),
                        entry("range", ""),
                        entry("options", choice.kinds()),
                        entry("doc", "Selects the kind of this section."),
                        entry("section", choice.type().getSimpleName()),
                        entry("isSection", false)));
    }

    static KeyDoc describe(Field field, Shape.Section owner, String path, List<String> kinds) {
        KeyText key = field.key();
        Shape bare = field.shape().bare();
        boolean isSection = bare instanceof Shape.Section || bare instanceof Shape.Choice;
        return KeyRecord.of(
                KeyDoc.class,
                Map.ofEntries(
                        entry("path", path),
                        entry("kinds", kinds),
                        entry("type", KeyLister.typeText(field.shape())),
                        entry("unit", key.unit()),
                        entry("required", field.required()),
                        entry("def", defaultText(field)),
                        entry("range", field.limits().text()),
                        entry("options", options(bare)),
                        entry("doc", key.doc() + condition(field)),
                        entry("section", owner.type().getSimpleName()),
                        entry("isSection", isSection)));
    }

    private static String condition(Field field) {
        OnlyIf declared = field.component().getAnnotation(OnlyIf.class);
        return declared == null ? "" : " Only if `" + declared.value().split(" \\| ", 2)[0] + "`.";
    }

    private static String defaultText(Field field) {
        if (field.def() != null) {
            return String.valueOf(field.key().def());
        }
        return field.shape() instanceof Shape.Maybe ? "null" : "";
    }

    private static List<String> options(Shape bare) {
        if (bare instanceof Shape.Many many) {
            return options(many.element().bare());
        }
        if (bare instanceof Shape.Choice choice) {
            return choice.kinds();
        }
        return bare instanceof Shape.Leaf leaf ? leaf.words() : List.of();
    }
}
