package dev.stagesim.config.bind;

import static dev.stagesim.config.bind.Trees.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SettingsSchemaTest {
    private static final SettingsSchema SCHEMA = SettingsSchema.of(SampleSettings.class);

    @Test
    void startsFromTheDefaultsWithRequiredKeysMarked() {
        MapNode defaults = SCHEMA.defaults();

        assertThat(defaults.keys()).containsExactly("lengths", "server", "weights", "gpus", "dir", "mode");
        assertThat(text(defaults, "lengths", "kind")).isEqualTo("fixed");
        assertThat(text(defaults, "lengths", "tokens")).isEqualTo("128");
        assertThat(text(defaults, "server", "name")).isEqualTo("???");
        assertThat(text(defaults, "server", "memory")).isEqualTo("1 GiB");
        assertThat(Trees.at(defaults, "mode").origin()).isEqualTo(Origin.DEFAULT);
    }

    @Test
    void completesTheChosenKindAndOnlyIt() {
        MapNode tree = SCHEMA.complete(map("lengths", map("kind", "zipf", "max", 9)));

        assertThat(Trees.section(tree, "lengths").keys()).containsExactly("kind", "theta", "min", "max");
        assertThat(SCHEMA.complete(tree)).isEqualTo(tree);
    }

    @Test
    void dropsValuesOfEarlierFilesWhenTheKindIsReplaced() {
        ScalarNode old = ScalarNode.of("fixed", Origin.file("configs/a.conf", 1));
        ScalarNode kind =
                ScalarNode.of("zipf", Origin.override(1, "lengths.kind=zipf")).replacing(old);
        ScalarNode tokens = ScalarNode.of(5, Origin.file("configs/a.conf", 2));

        MapNode tree = SCHEMA.complete(map("lengths", map("kind", kind, "tokens", tokens)));

        assertThat(Trees.section(tree, "lengths").keys()).containsExactly("kind", "theta", "min", "max");
    }

    @Test
    void keepsAForeignKeyGivenOnTheCommandLine() {
        ScalarNode tokens = ScalarNode.of(5, Origin.override(2, "lengths.tokens=5"));

        MapNode tree = SCHEMA.complete(map("lengths", map("kind", "zipf", "tokens", tokens)));

        assertThat(Trees.section(tree, "lengths").has("tokens")).isTrue();
    }

    @Test
    void dropsDefaultsOfAnotherKind() {
        MapNode lengths = Trees.section(SCHEMA.defaults(), "lengths");
        MapNode tree = SCHEMA.defaults().with("lengths", lengths.with("kind", Trees.node("zipf")));

        assertThat(Trees.section(SCHEMA.complete(tree), "lengths").has("tokens"))
                .isFalse();
    }

    @Test
    void usesTheDefaultOfTheNewKindForSharedKeys() {
        SettingsSchema schema = SettingsSchema.of(Counted.class);
        ScalarNode kind = ScalarNode.of("many", Origin.override(1, "count.kind=many"))
                .replacing(Trees.leaf(Trees.section(schema.defaults(), "count"), "kind"));
        MapNode few = Trees.section(schema.defaults(), "count").with("kind", kind);

        MapNode tree = schema.complete(map("count", few));
        assertThat(text(tree, "count", "size")).isEqualTo("9");

        ScalarNode given = ScalarNode.of(1, Origin.override(2, "count.size=1"));
        tree = schema.complete(map("count", few.with("size", given)));
        assertThat(text(tree, "count", "size")).isEqualTo("1");
    }

    @Test
    void acceptsPathsOfAllVariantsOpenMapsAndIndices() {
        assertThat(List.of(
                        "lengths.theta",
                        "lengths.tokens",
                        "lengths.kind",
                        "weights.any",
                        "gpus.0.count",
                        "gpus[3].name"))
                .allMatch(SCHEMA::isKnown);
        assertThat(List.of("lengths.x", "weights.a.b", "gpus.x", "gpus.0.y", "mode.x", "nope"))
                .noneMatch(SCHEMA::isKnown);
    }

    @Test
    void listsChildrenForCompletion() {
        assertThat(SCHEMA.children("")).containsExactly("dir", "gpus", "lengths", "mode", "server", "weights");
        assertThat(SCHEMA.children("lengths")).containsExactly("kind", "max", "min", "theta", "tokens");
    }

    /** Compares with a linear search of all keys. */
    @Test
    void findsTheSectionsWithAKey() {
        int found = 0;
        for (Stage<?> stage : StageRegistry.standard().stages()) {
            SettingsSchema schema = SettingsSchema.of(stage.spec().settings());
            MapNode tree = schema.complete(schema.defaults());
            for (String key : List.of("hf_config", "name", "seed", "dir", "enabled", "file")) {
                List<List<String>> expected = schema.keys().stream()
                        .map(KeyInfo::path)
                        .filter(path -> path.endsWith("." + key))
                        .map(path -> Paths.split(path.substring(0, path.length() - key.length() - 1)))
                        .filter(path -> Paths.get(tree, Paths.child(path, key)) != null)
                        .distinct()
                        .toList();
                List<List<String>> given = schema.sectionsWith(key, tree).stream()
                        .filter(path -> Paths.get(tree, Paths.child(path, key)) != null)
                        .toList();
                assertThat(given).as(stage.spec().name() + " " + key).isEqualTo(expected);
                found += given.size();
            }
        }
        assertThat(found).isGreaterThan(20);
    }

    /** Compares with setting each key of the schema individually, for trees with every kind of every section. */
    @Test
    void changesThePathsOfATree() {
        UnaryOperator<Node> change = node -> node instanceof MapNode ? node : ScalarNode.of("changed", Origin.UNKNOWN);
        int changed = 0;
        for (Stage<?> stage : StageRegistry.standard().stages()) {
            SettingsSchema schema = SettingsSchema.of(stage.spec().settings());
            List<MapNode> trees = trees(schema);
            trees.addAll(trees.stream().map(SettingsSchemaTest::withoutKinds).toList());
            for (MapNode tree : trees) {
                MapNode expected = tree;
                for (KeyInfo key : schema.keys()) {
                    expected = key.isPath() ? changed(expected, Paths.split(key.path()), change) : expected;
                }
                MapNode given = schema.withPaths(tree, change);
                assertThat(given).as(stage.spec().name()).isEqualTo(expected);
                changed += given.equals(tree) ? 0 : 1;
            }
        }
        assertThat(changed).isGreaterThan(200);
    }

    private static MapNode withoutKinds(MapNode tree) {
        MapNode left = tree.without("kind");
        for (String name : left.entries().keySet()) {
            left = left.get(name) instanceof MapNode section ? left.with(name, withoutKinds(section)) : left;
        }
        return left;
    }

    private static MapNode changed(MapNode tree, List<String> path, UnaryOperator<Node> change) {
        Node value = tree.get(path.get(0));
        if (path.size() > 1) {
            return value instanceof MapNode section
                    ? tree.with(path.get(0), changed(section, path.subList(1, path.size()), change))
                    : tree;
        }
        return value == null ? tree : tree.with(path.get(0), change.apply(value));
    }

    /** Returns the defaults, and trees that have each kind of each section once. */
    private static List<MapNode> trees(SettingsSchema schema) {
        List<MapNode> trees = new ArrayList<>(List.of(schema.defaults()));
        Set<Map.Entry<List<String>, String>> seen = new HashSet<>();
        for (int i = 0; i < trees.size(); i++) {
            for (Map.Entry<List<String>, String> kind : kinds(schema.shape(), trees.get(i), List.of())) {
                if (seen.add(kind)) {
                    trees.add(schema.complete((MapNode) put(trees.get(i), kind.getKey(), kind.getValue())));
                }
            }
        }
        return trees;
    }

    /** Returns the paths of kinds in a tree, each with a kind that is legal there. */
    private static List<Map.Entry<List<String>, String>> kinds(Shape shape, MapNode tree, List<String> path) {
        List<Map.Entry<List<String>, String>> kinds = new ArrayList<>();
        Shape.Section section = shape instanceof Shape.Section its ? its : null;
        if (shape instanceof Shape.Choice choice) {
            choice.kinds().forEach(kind -> kinds.add(Map.entry(Paths.child(path, choice.key()), kind)));
            section = SchemaPaths.chosen(choice, tree);
        }
        for (Field field : section == null ? List.<Field>of() : section.fields()) {
            if (tree.get(field.name()) instanceof MapNode below) {
                kinds.addAll(kinds(field.shape().bare(), below, Paths.child(path, field.name())));
            }
        }
        return kinds;
    }

    private static Node put(@Nullable Node tree, List<String> path, String kind) {
        if (path.isEmpty()) {
            return ScalarNode.of(kind, Origin.override(1, kind));
        }
        MapNode map = tree instanceof MapNode its && path.size() > 1 ? its : MapNode.empty();
        return map.with(path.get(0), put(map.get(path.get(0)), path.subList(1, path.size()), kind));
    }

    /** A key of a kind that is not chosen counts if the tree has it. */
    @Test
    void findsSectionsOfKindsThatAreNotChosen() {
        MapNode lengths = MapNode.of(Map.of("theta", ScalarNode.of(1, Origin.DEFAULT)), Origin.DEFAULT)
                .with("kind", ScalarNode.of("fixed", Origin.DEFAULT));
        MapNode tree = MapNode.of(Map.of("lengths", lengths), Origin.DEFAULT);
        assertThat(SCHEMA.sectionsWith("theta", tree)).containsExactly(List.of("lengths"));
    }

    @Test
    void throwsForInvalidRecords() {
        assertThatThrownBy(() -> SettingsSchema.of(Unsupported.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("java.util.Date");
        assertThatThrownBy(() -> SettingsSchema.of(Nameless.class)).hasMessageContaining("@Variant");
        assertThatThrownBy(() -> SettingsSchema.of(Hidden.class).keys()).hasMessageContaining("hides the key kind");
        assertThatThrownBy(() -> SettingsSchema.of(Recursive.class)).hasMessageContaining("contains itself");
        assertThatThrownBy(() -> SettingsSchema.of(BadDefault.class)).hasMessageContaining("not HOCON");
    }

    record Counted(@Key("A. | few") Count count) {
        sealed interface Count {}

        @Variant("few")
        record Few(@Key("A. | 1") int size) implements Count {}

        @Variant("many")
        record Many(@Key("A. | 9") int size) implements Count {}
    }

    record Unsupported(@Key("A.") Date date) {}

    record Nameless(@Key("A.") Shape2 shape) {
        sealed interface Shape2 permits Square {}

        record Square() implements Shape2 {}
    }

    record Hidden(@Key("A.") Shape3 shape) {
        sealed interface Shape3 permits Round {}

        @Variant("round")
        record Round(@Key("K.") String kind) implements Shape3 {}
    }

    record Recursive(@Key("A. | []") List<Recursive> more) {}

    record BadDefault(@Key("A. | [1") List<Integer> numbers) {}

    private static String text(MapNode tree, String section, String key) {
        return Trees.leaf(Trees.section(tree, section), key).text();
    }
}
