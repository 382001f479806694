package dev.stagesim.config.bind;

import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explains keys that a section does not have. */
final class UnknownKeys {
    private static final int MOST = 3;

    private UnknownKeys() {}

    /**
     * @param at path of the section
     * @param shape shape of the section, not optional
     * @param node what the tree has at {@code at}
     */
    static Problem problem(Shape.Section root, String at, String key, Shape shape, @Nullable Node node) {
        String where = KeyNames.join(at, key);
        if (shape instanceof Shape.Choice choice) {
            return inChoice(root, at, key, choice, node);
        }
        if (shape instanceof Shape.Section section) {
            return Problem.config(where, "unknown key (record " + section.type().getSimpleName() + ")")
                    .didYouMean(suggestions(root, at, key, section.names()));
        }
        String what = shape instanceof Shape.Many ? "expected an index, got \"" + key + "\"" : at + " has no keys";
        return Problem.config(where, what).note("type", KeyLister.typeText(shape));
    }

    private static Problem inChoice(
            Shape.Section root, String at, String key, Shape.Choice choice, @Nullable Node node) {
        String where = KeyNames.join(at, key);
        Shape.Section chosen = SchemaPaths.chosen(choice, node);
        List<String> owners = choice.kindsWith(key);
        String kindPath = KeyNames.join(at, choice.key());
        if (!owners.isEmpty() && chosen != null) {
            String kinds = owners.size() == 1
                    ? owners.get(0)
                    : String.join(", ", owners.subList(0, owners.size() - 1)) + " or " + owners.get(owners.size() - 1);
            return Problem.config(
                            where, "needs " + kindPath + "=" + kinds + ", but " + kindPath + " is " + chosen.variant())
                    .hint("set " + kindPath + "=" + owners.get(0) + ", or remove " + key);
        }
        List<String> names = new ArrayList<>(List.of(choice.key()));
        choice.variants().values().stream()
                .filter(variant -> chosen == null || variant.equals(chosen))
                .forEach(variant -> names.addAll(variant.names()));
        String record =
                chosen == null ? choice.type().getSimpleName() : chosen.type().getSimpleName();
        String suffix = chosen == null ? "" : ", kind " + chosen.variant();
        return Problem.config(where, "unknown key (record " + record + suffix + ")")
                .didYouMean(suggestions(root, at, key, names));
    }

    /** Near names of the same section; failing those, keys of that very name elsewhere. */
    private static List<String> suggestions(Shape.Section root, String at, String key, List<String> siblings) {
        List<String> near = Suggest.near(key, siblings);
        if (!near.isEmpty()) {
            return near.stream().map(name -> KeyNames.join(at, name)).toList();
        }
        return KeyLister.list(root).stream()
                .map(KeyInfo::path)
                .filter(path -> path.endsWith("." + key))
                .distinct()
                .limit(MOST)
                .toList();
    }

    /** Adds where the value was written, when the tree says. */
    static Problem withOrigin(Problem problem, @Nullable Node value) {
        if (value == null) {
            return problem;
        }
        Problem told = problem.from(value.origin().describe());
        return value instanceof ScalarNode scalar && scalar.previous() != null
                ? told.note("was", Shown.value(scalar.previous()))
                : told;
    }
}
