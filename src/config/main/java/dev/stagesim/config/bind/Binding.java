package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One binding of a tree. Walks tree and shape together and collects problems. A null result means that a problem was
 * added.
 */
final class Binding {
    private final Shape.Section root;
    private final BindOptions options;
    private final List<Problem> problems = new ArrayList<>();

    Binding(Shape.Section root, BindOptions options) {
        this.root = root;
        this.options = options;
    }

    List<Problem> problems() {
        return problems;
    }

    @Nullable
    Object root(MapNode tree) {
        return section(tree, root, "");
    }

    private @Nullable Object value(Node node, Shape shape, Field field, String path) {
        if (isMissing(node)) {
            return report(MissingKeys.problem(path, node, shape, options));
        }
        if (shape instanceof Shape.Maybe maybe) {
            boolean isNull = node instanceof ScalarNode scalar && scalar.isNull();
            Object inner = isNull ? null : value(node, maybe.inner(), field, path);
            return isNull ? Optional.empty() : inner == null ? null : Optional.of(inner);
        }
        if (shape instanceof Shape.Leaf leaf) {
            return leaf(node, leaf, field, path);
        }
        if (shape instanceof Shape.Many many && node instanceof ListNode list) {
            return list(list, many, field, path);
        }
        if (node instanceof MapNode map && !(shape instanceof Shape.Many)) {
            return map(map, shape, field, path);
        }
        return report(wrongContainer(node, shape, path));
    }

    private @Nullable Object map(MapNode map, Shape shape, Field field, String path) {
        if (shape instanceof Shape.Open open) {
            return open(map, open, field, path);
        }
        return shape instanceof Shape.Choice choice
                ? choice(map, choice, path)
                : section(map, (Shape.Section) shape, path);
    }

    private @Nullable Object leaf(Node node, Shape.Leaf leaf, Field field, String path) {
        Conversion.Result result = Conversion.convert(node, leaf, field.key().unit(), field.limits());
        if (result.value() instanceof String text && field.access() == Resource.OUTPUT_NAME && !PathPart.isSafe(text)) {
            return report(UnknownKeys.withOrigin(
                    Problem.config(path, PathPart.expected(ValueFormatter.withType(node))), node));
        }
        if (result.value() != null) {
            return result.value();
        }
        String what = "expected " + result.expected() + ", got " + ValueFormatter.withType(node);
        Problem problem = UnknownKeys.withOrigin(Problem.config(path, what), node)
                .options(leaf.words())
                .didYouMean(result.suggestions());
        String hint = node instanceof ListNode list ? withoutBrackets(list, leaf, path) : result.hint();
        return report(hint.isEmpty() ? problem : problem.hint(hint));
    }

    /** Returns the form without brackets of a list in place of a string; empty if the list or the key has another type. */
    private static String withoutBrackets(ListNode list, Shape.Leaf leaf, String path) {
        boolean isText = leaf.kind() == LeafType.STRING
                && !list.items().isEmpty()
                && list.items().stream().allMatch(ScalarNode.class::isInstance);
        return isText
                ? "write it without brackets: " + path + "='"
                        + list.items().stream()
                                .map(item -> ((ScalarNode) item).text())
                                .collect(Collectors.joining(","))
                        + "'"
                : "";
    }

    private @Nullable Object list(ListNode list, Shape.Many many, Field field, String path) {
        List<Object> bound = new ArrayList<>();
        for (int i = 0; i < list.items().size(); i++) {
            Object item = value(list.items().get(i), many.element(), field, path + "." + i);
            if (item != null) {
                bound.add(item);
            }
        }
        return bound.size() == list.items().size() ? List.copyOf(bound) : null;
    }

    private @Nullable Object open(MapNode map, Shape.Open open, Field field, String path) {
        Map<String, Object> bound = new LinkedHashMap<>();
        map.entries().forEach((key, node) -> {
            Object item = value(node, open.value(), field, KeyNames.join(path, key));
            if (item != null) {
                bound.put(key, item);
            }
        });
        return bound.size() == map.entries().size() ? Collections.unmodifiableMap(bound) : null;
    }

    private @Nullable Object choice(MapNode map, Shape.Choice choice, String path) {
        Shape.Section chosen = SchemaPaths.chosen(choice, map);
        return chosen == null
                ? report(MissingKeys.kind(path, map, choice, options))
                : section(map, chosen, path, choice);
    }

    private @Nullable Object section(MapNode map, Shape.Section section, String path) {
        return section(map, section, path, section);
    }

    /**
     * Binds all fields and constructs the record if every field is valid.
     *
     * @param container the choice that selected this section, or the section itself
     */
    private @Nullable Object section(MapNode map, Shape.Section section, String path, Shape container) {
        unknownKeys(map, section, path, container);
        Optional<Problem> nothingGiven = MissingKeys.wholeSection(path, map, section, options);
        if (nothingGiven.isPresent()) {
            return report(nothingGiven.get());
        }
        List<Object> arguments = new ArrayList<>();
        for (Field field : section.fields()) {
            Node node = map.get(field.name());
            if (node == null) {
                throw new IllegalStateException("the tree was not completed at " + KeyNames.join(path, field.name()));
            }
            Object bound = value(node, field.shape(), field, KeyNames.join(path, field.name()));
            if (bound != null) {
                arguments.add(bound);
            }
        }
        return arguments.size() == section.fields().size() ? construct(section, arguments, map, path) : null;
    }

    private void unknownKeys(MapNode map, Shape.Section section, String path, Shape container) {
        boolean isRoot = path.isEmpty();
        for (Map.Entry<String, Node> entry : map.entries().entrySet()) {
            String key = entry.getKey();
            boolean known = section.field(key) != null
                    || (container instanceof Shape.Choice choice && key.equals(choice.key()));
            if (!known && !(isRoot && options.ignoreUnknownRoots())) {
                Problem problem = UnknownKeys.problem(root, path, key, container, map);
                Node written = firstWritten(entry.getValue());
                report(UnknownKeys.withOrigin(problem, written == null ? entry.getValue() : written));
            }
        }
    }

    private @Nullable Object construct(Shape.Section section, List<Object> arguments, MapNode map, String path) {
        try {
            Iterator<Object> values = arguments.iterator();
            return KeyRecord.make(section.type(), component -> values.next());
        } catch (IllegalArgumentException rejected) {
            String message = rejected.getMessage() == null
                    ? "rejected by " + section.type().getSimpleName()
                    : rejected.getMessage();
            return report(UnknownKeys.withOrigin(Problem.config(path, message), firstWritten(map)));
        }
    }

    /**
     * Returns the first value of the section that the user wrote, for its origin, or null if all values are defaults.
     */
    private static @Nullable Node firstWritten(Node node) {
        if (node instanceof MapNode map) {
            return map.entries().values().stream()
                    .map(Binding::firstWritten)
                    .filter(found -> found != null)
                    .findFirst()
                    .orElse(null);
        }
        return node.origin().equals(dev.stagesim.config.tree.Origin.DEFAULT) ? null : node;
    }

    private Problem wrongContainer(Node node, Shape shape, String path) {
        String expected = shape instanceof Shape.Many || shape instanceof Shape.Open
                ? "a " + KeyLister.typeText(shape)
                : "a section";
        Problem problem = Problem.config(path, "expected " + expected + ", got " + ValueFormatter.withType(node));
        problem = UnknownKeys.withOrigin(problem, node);
        if (shape instanceof Shape.Choice choice) {
            return problem.options(choice.kinds()).hint("set " + path + "." + choice.key());
        }
        Optional<String> group = shape instanceof Shape.Section ? groupOf(path) : Optional.empty();
        if (group.isPresent() && node instanceof ScalarNode leaf && !leaf.isNull()) {
            return problem.hint("choose one with +" + group.get() + "@" + path + "=" + leaf.text());
        }
        return shape instanceof Shape.Many
                ? problem.hint("write it in brackets: ["
                        + (node instanceof ScalarNode leaf && !leaf.isNull() ? leaf.text() : "a, b") + "]")
                : problem;
    }

    /**
     * Returns the config group in the name of a key below the root: {@code hardware} for {@code
     * search.output_hardware}.
     */
    private Optional<String> groupOf(String path) {
        int start = path.lastIndexOf('.') + 1;
        while (start > 0) {
            String name = path.substring(start);
            if (!options.groupOptions().apply(name).isEmpty()) {
                return Optional.of(name);
            }
            start = path.indexOf('_', start) + 1;
        }
        return Optional.empty();
    }

    private static boolean isMissing(Node node) {
        return node instanceof ScalarNode scalar && scalar.isMissing();
    }

    private @Nullable Object report(Problem problem) {
        problems.add(problem);
        return null;
    }

    /** Reports missing values. */
    private static final class MissingKeys {
        private MissingKeys() {}

        /** Returns the problem of a mandatory value that is still {@code ???}. */
        static Problem problem(String path, Node node, Shape shape, BindOptions options) {
            Problem problem = Problem.config(path, "no value given, expected " + expected(shape));
            if (!node.origin().equals(Origin.DEFAULT)) {
                problem = problem.from(node.origin().describe());
            }
            if (node instanceof ScalarNode scalar
                    && scalar.previous() instanceof ScalarNode was
                    && was.isInterpolation()) {
                return problem.note("value", was.text()).hint("give what it refers to");
            }
            List<String> groups = options.groupOptions().apply(path);
            return groups.isEmpty() ? problem.hint("give " + example(path, shape)) : choose(problem, path, groups);
        }

        /** Returns overrides that set a value, for a map of sections with all mandatory keys of one section. */
        private static String example(String path, Shape shape) {
            return shape.bare() instanceof Shape.Open open && open.value().bare() instanceof Shape.Section section
                    ? section.fields().stream()
                            .filter(Field::required)
                            .map(field -> "+" + path + ".<name>." + field.name() + "=<value>")
                            .collect(Collectors.joining(" "))
                    : path + "=<value>";
        }

        /**
         * Returns one problem for a section without any mandatory key, if a config group could supply the whole
         * section.
         */
        static Optional<Problem> wholeSection(String path, MapNode map, Shape.Section section, BindOptions options) {
            boolean alreadyChosen = section.variant() != null;
            if (path.isEmpty() || alreadyChosen) {
                return Optional.empty();
            }
            List<Field> required =
                    section.fields().stream().filter(Field::required).toList();
            if (required.isEmpty()
                    || !required.stream().allMatch(field -> isMissing(map.get(field.name()), field.shape()))) {
                return Optional.empty();
            }
            // Listing a group reads a directory, so the options are listed only if a value is missing.
            List<String> groups = options.groupOptions().apply(path);
            return groups.isEmpty()
                    ? Optional.empty()
                    : Optional.of(choose(Problem.config(path, "nothing chosen"), path, groups));
        }

        /** Returns the problem of a missing or unknown variant key. */
        static Problem kind(String path, MapNode map, Shape.Choice choice, BindOptions options) {
            String at = KeyNames.join(path, choice.key());
            Node kind = map.get(choice.key());
            List<String> groups = options.groupOptions().apply(path);
            if (kind == null || isMissing(kind, choice)) {
                return groups.isEmpty()
                        ? Problem.config(at, "no value given").options(choice.kinds())
                        : choose(Problem.config(path, "nothing chosen"), path, groups);
            }
            String text = kind instanceof ScalarNode scalar ? scalar.text() : "";
            Problem problem = Problem.config(at, "expected a kind, got " + ValueFormatter.withType(kind));
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
                    ? "one of " + String.join(", ", leaf.words())
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

    /** Reports keys that a section does not have. */
    private static final class UnknownKeys {
        private static final int MAX_SUGGESTIONS = 3;

        private UnknownKeys() {}

        /**
         * Returns the problem of an unknown key.
         *
         * @param at path of the section
         * @param shape shape of the section, not optional
         * @param node the node at {@code at}
         */
        static Problem problem(Shape.Section root, String at, String key, Shape shape, @Nullable Node node) {
            String where = KeyNames.join(at, key);
            if (shape instanceof Shape.Choice choice) {
                return inChoice(root, at, key, choice, node);
            }
            if (shape instanceof Shape.Section section) {
                return SchemaPaths.former(section, at, key).orElseGet(() -> Problem.config(where, "unknown key")
                        .didYouMean(suggestions(root, at, key, section.names()))
                        .options(section.names().stream().sorted().toList()));
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
            Optional<Problem> former = (chosen != null && !owners.isEmpty()
                            ? Stream.of(chosen)
                            : choice.variants().all())
                    .flatMap(kind -> SchemaPaths.former(kind, at, key).stream())
                    .findFirst();
            if (former.isPresent()) {
                return former.get();
            }
            if (!owners.isEmpty() && chosen != null) {
                String kinds = owners.size() == 1
                        ? owners.get(0)
                        : String.join(", ", owners.subList(0, owners.size() - 1)) + " or "
                                + owners.get(owners.size() - 1);
                return Problem.config(
                                where,
                                "needs " + kindPath + "=" + kinds + ", but " + kindPath + " is " + chosen.variant())
                        .didYouMean(Suggest.near(key, chosen.names()).stream()
                                .map(name -> KeyNames.join(at, name))
                                .toList())
                        .hint("set " + kindPath + "=" + owners.get(0) + ", or remove " + key);
            }
            List<String> names = new ArrayList<>(List.of(choice.key()));
            (chosen == null ? choice.variants().all() : Stream.of(chosen))
                    .forEach(variant -> names.addAll(variant.names()));
            String suffix = chosen == null ? "" : "; " + kindPath + " is " + chosen.variant();
            return Problem.config(where, "unknown key" + suffix)
                    .didYouMean(suggestions(root, at, key, names))
                    .options(names.stream().distinct().sorted().toList());
        }

        /**
         * Returns similar names in the same section; if there are none, the paths of keys with this name in other
         * sections.
         */
        private static List<String> suggestions(Shape.Section root, String at, String key, List<String> siblings) {
            List<String> near = Suggest.near(key, siblings);
            if (!near.isEmpty()) {
                return near.stream().map(name -> KeyNames.join(at, name)).toList();
            }
            return KeyLister.named(KeyLister.list(root), key).stream()
                    .limit(MAX_SUGGESTIONS)
                    .toList();
        }

        /** Adds the origin of the value, if known, and the value of a file that it replaced. */
        static Problem withOrigin(Problem problem, @Nullable Node value) {
            if (value == null) {
                return problem;
            }
            Problem located = problem.from(value.origin().describe());
            return value instanceof ScalarNode scalar
                            && scalar.previous() != null
                            && !scalar.previous().origin().equals(Origin.DEFAULT)
                    ? located.note("was", ValueFormatter.withOrigin(scalar.previous()))
                    : located;
        }
    }
}
