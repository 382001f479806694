package dev.stagesim.config.bind;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Explains what was not given. */
final class MissingKeys {
    private MissingKeys() {}

    /** A mandatory value is still {@code ???}. */
    static Problem problem(String path, Node node, Shape shape, BindOptions options) {
        Problem problem = Problem.of("config error", path, "no value given, expected " + expected(shape));
        if (!node.origin().equals(Origin.DEFAULT)) {
            problem = problem.from(node.origin().describe());
        }
        if (node instanceof ScalarNode scalar && scalar.previous() instanceof ScalarNode was && was.isInterpolation()) {
            return problem.note("value", was.text()).hint("give what it refers to");
        }
        List<String> groups = options.groupOptions().apply(path);
        return groups.isEmpty() ? problem.hint("give " + path + "=<value>") : choose(problem, path, groups);
    }

    /** A section whose mandatory keys are all missing and which a config group could fill: one problem, not twenty. */
    static Optional<Problem> wholeSection(String path, MapNode map, Shape.Section section, BindOptions options) {
        boolean alreadyChosen = section.variant() != null;
        if (path.isEmpty() || alreadyChosen) {
            return Optional.empty();
        }
        List<Field> required = section.fields().stream().filter(Field::required).toList();
        if (required.isEmpty()
                || !required.stream().allMatch(field -> isMissing(map.get(field.name()), field.shape()))) {
            return Optional.empty();
        }
        // Listing a group reads a directory, so it is asked for only when something is missing.
        List<String> groups = options.groupOptions().apply(path);
        return groups.isEmpty()
                ? Optional.empty()
                : Optional.of(choose(Problem.of("config error", path, "nothing chosen"), path, groups));
    }

    /** The key that selects the variant is missing or unknown. */
    static Problem kind(String path, MapNode map, Shape.Choice choice, BindOptions options) {
        String at = KeyNames.join(path, choice.key());
        Node kind = map.get(choice.key());
        List<String> groups = options.groupOptions().apply(path);
        if (kind == null || isMissing(kind, choice)) {
            return groups.isEmpty()
                    ? Problem.of("config error", at, "no value given").options(choice.kinds())
                    : choose(Problem.of("config error", path, "nothing chosen"), path, groups);
        }
        String text = kind instanceof ScalarNode scalar ? scalar.text() : "";
        Problem problem = Problem.of("config error", at, "expected a kind, got " + Shown.typed(kind));
        return UnknownKeys.withOrigin(problem, kind)
                .options(choice.kinds())
                .didYouMean(Suggest.near(text, choice.kinds()));
    }

    private static Problem choose(Problem problem, String path, List<String> groups) {
        return problem.options(groups).hint("choose one with " + path + "=<option>");
    }

    private static String expected(Shape shape) {
        String type = KeyLister.typeText(shape.bare());
        return shape.bare() instanceof Shape.Leaf leaf && leaf.kind() == LeafType.ENUM
                ? "one of " + String.join(", ", KeyLister.options(leaf))
                : Conversion.article(type);
    }

    private static boolean isMissing(@Nullable Node node, Shape shape) {
        if (node instanceof MapNode map) {
            return shape.bare() instanceof Shape.Choice choice
                    && map.get(choice.key()) instanceof ScalarNode kind
                    && kind.isMissing();
        }
        return node instanceof ScalarNode scalar && scalar.isMissing();
    }
}
