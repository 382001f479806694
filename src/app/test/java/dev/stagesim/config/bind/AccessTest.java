package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.launch.LauncherSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every key that names a file, a port or another outside resource declares its access to it. */
final class AccessTest {
    /** Words that mark keys with access to resources outside of the run. */
    private static final Pattern WORDS = Pattern.compile(
            "\\b(files?|folders?|director(y|ies)|paths?|urls?|uris?|env|environment|ports?|address(es)?|listens?"
                    + "|interpreter|executable|json|hosts?|allow_host|api_key_env)\\b",
            Pattern.CASE_INSENSITIVE);

    record Leaf(Shape.Leaf shape, Field field) {}

    private static Map<String, Leaf> leaves() {
        Map<String, Leaf> all = new LinkedHashMap<>();
        for (Stage<?> stage : StageRegistry.standard().stages()) {
            walk(SettingsSchema.of(stage.spec().settings()).shape(), (key, leaf) -> all.put(key, leaf));
        }
        for (Class<?> launcher : LauncherSettings.class.getPermittedSubclasses()) {
            walk(SettingsSchema.of(launcher.asSubclass(Record.class)).shape(), (key, leaf) -> all.put(key, leaf));
        }
        return all;
    }

    static void walk(Shape.Section section, BiConsumer<String, Leaf> found) {
        for (Field field : section.fields()) {
            below(field.shape(), section.type().getSimpleName() + "." + field.name(), field, found);
        }
    }

    private static void below(Shape shape, String key, Field field, BiConsumer<String, Leaf> found) {
        Shape bare = shape.bare();
        if (bare instanceof Shape.Leaf leaf) {
            found.accept(key, new Leaf(leaf, field));
        } else if (bare instanceof Shape.Many many) {
            below(many.element(), key, field, found);
        } else if (bare instanceof Shape.Open open) {
            below(open.value(), key, field, found);
        } else if (bare instanceof Shape.Section section) {
            walk(section, found);
        } else if (bare instanceof Shape.Choice choice) {
            choice.variants().all().forEach(variant -> walk(variant, found));
        }
    }

    /** Text may name a resource; a number may be a port. */
    private static boolean mayReach(String key, Leaf leaf) {
        boolean isText = leaf.shape().kind() == LeafType.STRING;
        return (isText
                        && WORDS.matcher(leaf.field().name() + " "
                                        + leaf.field().key().doc())
                                .find())
                || (leaf.shape().kind() == LeafType.INT && key.endsWith(".port"));
    }

    @Test
    void declaresEveryMentionedResource() {
        TreeSet<String> undeclared = new TreeSet<>();
        leaves().forEach((key, leaf) -> {
            if (mayReach(key, leaf) && !leaf.field().component().isAnnotationPresent(Access.class)) {
                undeclared.add(key);
            }
        });
        assertThat(undeclared).isEmpty();
    }

    @Test
    void declaresPathsAsInputsUnlessTheyAreOutputs() {
        leaves().forEach((key, leaf) -> {
            if (leaf.shape().kind() == LeafType.PATH) {
                assertThat(leaf.field().access()).as(key).isIn(Resource.FILE, Resource.WRITTEN_FILE);
            }
        });
    }

    @Test
    void declaresKeysThatPagesMustNotSet() {
        Map<String, Leaf> all = leaves();
        Map.of(
                        "EndpointSettings.url", Resource.NETWORK,
                        "EndpointSettings.allow_host", Resource.NETWORK,
                        "EndpointSettings.api_key_env", Resource.ENVIRONMENT,
                        "EndpointSettings.journal", Resource.WRITTEN_FILE,
                        "ServerSettings.host", Resource.LISTEN,
                        "ServerSettings.port", Resource.LISTEN,
                        "ServerSettings.api_key_env", Resource.ENVIRONMENT,
                        "ServerSettings.ready_file", Resource.WRITTEN_FILE,
                        "Torch.python", Resource.PROGRAM,
                        "Spark.submit", Resource.PROGRAM)
                .forEach((key, resource) ->
                        assertThat(all.get(key).field().access()).as(key).isEqualTo(resource));
    }

    @Test
    void acceptsOnlyLegalNamesOfOutputs() {
        TreeSet<String> checked = new TreeSet<>();
        leaves().forEach((key, leaf) -> {
            if (leaf.field().access() == Resource.OUTPUT_NAME) {
                checked.add(key);
            }
        });
        assertThat(checked)
                .contains("MnkWorkload.output_file", "MnkWorkload.run_name", "PytorchWorkload.output")
                .hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void rejectsTheNulCharacterInText() {
        Shape.Leaf text = new Shape.Leaf(LeafType.STRING, String.class, List.of());
        assertThat(Conversion.convert(ScalarNode.of("a\0b", Origin.UNKNOWN), text, "", ValueRange.NONE)
                        .value())
                .isNull();
        assertThat(Conversion.convert(ScalarNode.of("a\nb", Origin.UNKNOWN), text, "", ValueRange.NONE)
                        .value())
                .isEqualTo("a\nb");
    }
}
