package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Resolves dotted paths in a shape. */
final class SchemaPaths {
    private SchemaPaths() {}

    /** Splits {@code a.b[0].c} at dots and brackets. The empty path has no segments. */
    static List<String> segments(String path) {
        if (path.isEmpty()) {
            return List.of();
        }
        List<String> parts = new ArrayList<>();
        for (String part : path.replace("]", "").split("[.\\[]", -1)) {
            parts.add(part);
        }
        return parts;
    }

    /** True if a path matches a documented path. {@code <name>} and {@code <n>} match any segment. */
    static boolean matches(String documented, String path) {
        List<String> pattern = segments(documented);
        List<String> parts = segments(path);
        if (pattern.size() != parts.size()) {
            return false;
        }
        for (int i = 0; i < parts.size(); i++) {
            if (!pattern.get(i).startsWith("<") && !pattern.get(i).equals(parts.get(i))) {
                return false;
            }
        }
        return true;
    }

    static boolean isKnown(Shape shape, String path) {
        return isKnown(shape, segments(path));
    }

    private static boolean isKnown(Shape shape, List<String> parts) {
        if (parts.isEmpty()) {
            return true;
        }
        List<String> rest = parts.subList(1, parts.size());
        if (shape instanceof Shape.Maybe maybe) {
            return isKnown(maybe.inner(), parts);
        }
        if (shape instanceof Shape.Many many) {
            return parts.get(0).matches("\\d+") && isKnown(many.element(), rest);
        }
        if (shape instanceof Shape.Open open) {
            return isKnown(open.value(), rest);
        }
        if (shape instanceof Shape.Choice choice) {
            boolean isKind = parts.get(0).equals(choice.key()) && rest.isEmpty();
            return isKind || choice.variants().all().anyMatch(variant -> isKnown(variant, parts));
        }
        Field field = shape instanceof Shape.Section section ? section.field(parts.get(0)) : null;
        return field != null && isKnown(field.shape(), rest);
    }

    /** True if a key takes a list, in any variant. */
    static boolean isList(Shape shape, List<String> parts) {
        Shape bare = shape.bare();
        if (parts.isEmpty() || bare instanceof Shape.Many) {
            return bare instanceof Shape.Many && parts.isEmpty();
        }
        if (bare instanceof Shape.Choice choice) {
            return choice.variants().all().anyMatch(variant -> isList(variant, parts));
        }
        List<String> rest = parts.subList(1, parts.size());
        if (bare instanceof Shape.Open open) {
            return isList(open.value(), rest);
        }
        Field field = bare instanceof Shape.Section section ? section.field(parts.get(0)) : null;
        return field != null && isList(field.shape(), rest);
    }

    /**
     * Adds the paths of the tree's sections that have this key. In a section with several kinds, only the kinds that
     * match the tree are searched.
     */
    static void sectionsWith(String key, Shape shape, MapNode tree, List<String> path, List<List<String>> found) {
        for (Field field : fields(shape, tree)) {
            if (field.name().equals(key) && !path.isEmpty() && !found.contains(path)) {
                found.add(path);
            }
            if (tree.get(field.name()) instanceof MapNode below) {
                sectionsWith(key, field.shape().bare(), below, Paths.child(path, field.name()), found);
            }
        }
    }

    /** Returns the tree with {@code change} applied to each value of a key of type path or list of paths. */
    static MapNode withPaths(Shape shape, MapNode tree, UnaryOperator<Node> change) {
        MapNode changed = tree;
        for (Field field : fields(shape, tree)) {
            Shape fieldShape = field.shape().bare();
            Node value = changed.get(field.name());
            if (value != null && fieldShape.isPathType()) {
                changed = changed.with(field.name(), change.apply(value));
            } else if (value instanceof MapNode below) {
                changed = changed.with(field.name(), withPaths(fieldShape, below, change));
            }
        }
        return changed;
    }

    /** True if a path is equal to a documented path or below it. */
    static boolean startsWith(String path, String documented) {
        List<String> parts = segments(path);
        int depth = segments(documented).size();
        return parts.size() >= depth && matches(documented, String.join(".", parts.subList(0, depth)));
    }

    /** Adds all scalars below a node whose keys give access to the resource. */
    static void reaching(Shape shape, Resource access, Node node, String path, List<ReachingValue> found) {
        Shape bare = shape.bare();
        if (node instanceof ScalarNode scalar) {
            if (access != Resource.NONE && !scalar.isNull()) {
                found.add(new ReachingValue(path, access, scalar));
            }
        } else if (node instanceof ListNode list && bare instanceof Shape.Many many) {
            for (int i = 0; i < list.items().size(); i++) {
                reaching(many.element(), access, list.items().get(i), KeyNames.join(path, Integer.toString(i)), found);
            }
        } else if (node instanceof MapNode map && bare instanceof Shape.Open open) {
            map.entries()
                    .forEach((key, value) -> reaching(open.value(), access, value, KeyNames.join(path, key), found));
        } else if (node instanceof MapNode map) {
            for (Field field : fields(bare, map)) {
                Node value = map.get(field.name());
                if (value != null) {
                    reaching(field.shape(), field.access(), value, KeyNames.join(path, field.name()), found);
                }
            }
        }
    }

    /** Returns the fields of a section, or of the kinds of a choice that match the tree. */
    private static List<Field> fields(Shape shape, MapNode tree) {
        if (shape instanceof Shape.Section section) {
            return section.fields();
        }
        return shape instanceof Shape.Choice choice ? fields(choice, tree) : List.of();
    }

    /** Returns the fields of the chosen kind, or of all kinds if the tree has keys that the chosen kind lacks. */
    private static List<Field> fields(Shape.Choice choice, MapNode tree) {
        Shape.Section chosen = chosen(choice, tree);
        if (chosen != null
                && tree.entries().keySet().stream()
                        .allMatch(key -> key.equals(choice.key()) || chosen.field(key) != null)) {
            return chosen.fields();
        }
        return choice.variants()
                .all()
                .flatMap(section -> section.fields().stream())
                .toList();
    }

    /** Returns the error for a former key of the record at {@code parent}; empty if the key never existed. */
    static Optional<Problem> formerKey(Shape root, String parent, String key) {
        List<Shape> shapes = List.of(root.bare());
        for (String part : segments(parent)) {
            shapes = shapes.stream()
                    .flatMap(SchemaPaths::sections)
                    .map(shape -> step(shape, part, null))
                    .flatMap(Stream::ofNullable)
                    .map(Shape::bare)
                    .toList();
        }
        return shapes.stream()
                .flatMap(SchemaPaths::sections)
                .flatMap(shape -> former(shape, parent, key).stream())
                .findFirst();
    }

    /** Returns the kinds of a choice, or the shape itself. */
    private static Stream<? extends Shape> sections(Shape shape) {
        return shape instanceof Shape.Choice choice ? choice.variants().all() : Stream.of(shape);
    }

    /** Returns the error for a former key of a record at {@code at}; empty if the key never existed. */
    static Optional<Problem> former(Shape shape, String at, String key) {
        FormerKeys former =
                shape instanceof Shape.Section section ? section.type().getAnnotation(FormerKeys.class) : null;
        if (former == null) {
            return Optional.empty();
        }
        Optional<Problem> renamed = pair(former.value(), key)
                .map(name -> Problem.config(KeyNames.join(at, key), "has a new name: " + KeyNames.join(at, name))
                        .hint("write " + name + " instead of " + key));
        return renamed.or(
                () -> pair(former.removed(), key).map(hint -> Problem.config(KeyNames.join(at, key), "was removed")
                        .hint(hint)));
    }

    private static Optional<String> pair(String[] pairs, String key) {
        return Arrays.stream(pairs)
                .filter(pair -> pair.startsWith(key + "="))
                .map(pair -> pair.substring(key.length() + 1))
                .findFirst();
    }

    /** True if the path leads into a section with several kinds. */
    static boolean isInChoice(Shape root, String path) {
        Shape shape = root.bare();
        for (String part : segments(path)) {
            if (shape instanceof Shape.Choice) {
                return true;
            }
            Shape next = step(shape, part, null);
            if (next == null) {
                return false;
            }
            shape = next.bare();
        }
        return shape instanceof Shape.Choice;
    }

    private static @Nullable Shape step(Shape shape, String part, @Nullable Node node) {
        if (shape instanceof Shape.Section section) {
            Field field = section.field(part);
            return field == null ? null : field.shape();
        }
        if (shape instanceof Shape.Many many) {
            return part.matches("\\d+") ? many.element() : null;
        }
        if (shape instanceof Shape.Open open) {
            return open.value();
        }
        return shape instanceof Shape.Choice choice ? step(choice, part, node) : null;
    }

    private static @Nullable Shape step(Shape.Choice choice, String part, @Nullable Node node) {
        if (part.equals(choice.key())) {
            return new Shape.Leaf(LeafType.STRING, String.class, List.of());
        }
        Shape.Section chosen = chosen(choice, node);
        if (chosen != null) {
            return step(chosen, part, node);
        }
        for (Shape.Section variant : choice.variants().all().toList()) {
            if (variant.field(part) != null) {
                return step(variant, part, node);
            }
        }
        return null;
    }

    /** Returns the variant that a node selects, or null if it selects none or an unknown one. */
    static Shape.@Nullable Section chosen(Shape.Choice choice, @Nullable Node node) {
        Node kind = node instanceof MapNode map ? map.get(choice.key()) : null;
        return kind instanceof ScalarNode scalar ? choice.variants().get(scalar.text()) : null;
    }
}
