package dev.stagesim.pipeline.request;

import dev.stagesim.config.Composition;
import dev.stagesim.config.bind.RecordTree;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ModelFileReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Replaces model sections with the key {@code hf_config} by the card that is derived from the named file.
 *
 * <p>Values that are set with the key or after it take precedence: overrides, and values in the same or a later config
 * file.
 */
public final class ModelFiles {
    private static final String KEY = "hf_config";
    private static final String NAME = "name";

    private final Composition composition;
    private final Path work;

    private ModelFiles(Composition composition, Path work) {
        this.composition = composition;
        this.work = work;
    }

    /**
     * Returns the composition with all cards.
     *
     * @param work directory that relative paths start from
     * @throws StageException (input) if a file cannot be converted to a card, or an option of the group is also chosen
     */
    public static Composition filled(
            Composition composition, SettingsSchema schema, Supplier<Resolvers> resolvers, Path work) {
        Composition filled = composition;
        for (List<String> section : schema.sectionsWith(KEY, composition.config())) {
            List<String> key = Paths.child(section, KEY);
            // a path that was stored together with its card is not read again
            if (Paths.get(filled.config(), key) instanceof ScalarNode file && !file.isNull() && isGiven(file, filled)) {
                Node named = filled.interpolator(resolvers.get()).value(Paths.dotted(key));
                MapNode card = new ModelFiles(filled, work).card(section, named, file.origin());
                filled = filled.withConfig(Paths.with(filled.config(), section, card));
            }
        }
        return filled;
    }

    /** Returns the files of model cards in a tree, as written. */
    public static List<String> named(MapNode tree, SettingsSchema schema) {
        return schema.sectionsWith(KEY, tree).stream()
                .map(section -> Paths.get(tree, Paths.child(section, KEY)))
                .map(node -> node instanceof ScalarNode leaf && leaf.value() instanceof String text ? text : null)
                .filter(Objects::nonNull)
                .toList();
    }

    private static boolean isGiven(ScalarNode file, Composition composition) {
        return file.origin().text() != null || rank(file.origin(), composition) >= 0;
    }

    /**
     * Returns the precedence of a value: the index of its config file in merge order, the maximum for overrides, or -1
     * for defaults.
     */
    private static int rank(Origin origin, Composition composition) {
        int last = origin.text() == null ? -1 : composition.defaults().size();
        for (int i = 0; i < composition.defaults().size() && origin.text() == null; i++) {
            String config = composition.defaults().get(i).config();
            last = ("/" + origin.source()).contains("/" + config + ".") ? i : last;
        }
        return last;
    }

    private MapNode card(List<String> section, Node named, Origin origin) {
        refuseChoice(section, origin);
        MapNode given = (MapNode) Objects.requireNonNull(Paths.get(composition.config(), section));
        Path file = work.resolve(((ScalarNode) named).text()).toAbsolutePath().normalize();
        String where = Paths.dotted(Paths.child(section, KEY));
        try {
            if (!Files.isRegularFile(InputFile.regular(file))) {
                throw unusable(where, "no such file", file, origin);
            }
        } catch (StageException other) {
            throw unusable(where, other.problems().get(0).what(), file, origin);
        }
        Map<String, Node> entries = new LinkedHashMap<>();
        Optional<String> name = given.get(NAME) instanceof ScalarNode own && isBeside(own, origin)
                ? Optional.of(own.text())
                : Optional.empty();
        read(file, name).entries().forEach(entries::put);
        given.entries().forEach((key, value) -> {
            if (isBeside(value, origin)) {
                entries.put(key, value);
            } else {
                entries.putIfAbsent(key, value);
            }
        });
        entries.put(KEY, ScalarNode.of(file.toString(), origin));
        return MapNode.of(entries, given.origin());
    }

    private static StageException unusable(String where, String what, Path file, Origin origin) {
        return StageException.input(Problem.config(where, what)
                .from(origin.describe())
                .note("file", file.toString())
                .note("expected", "config.json of a model as Hugging Face publishes it"));
    }

    private static MapNode read(Path file, Optional<String> name) {
        ModelFileReader reader = Feature.all(ModelFileReader.class).stream()
                .findFirst()
                .orElseThrow(() -> StageException.input(Problem.config(KEY, "this build cannot read model files")));
        return RecordTree.of(Unchecked.get(() -> reader.read(file, name)), Origin.file(file.toString(), 0));
    }

    private boolean isBeside(Node value, Origin origin) {
        boolean isSet = rank(value.origin(), composition) >= 0;
        return isSet && rank(value.origin(), composition) >= rank(origin, composition);
    }

    /**
     * Rejects an option of the group that the user chose in addition to the file, because the card would replace it
     * completely.
     */
    private void refuseChoice(List<String> section, Origin origin) {
        String group = Paths.dotted(section);
        boolean isOfGroup = ("/" + origin.source()).contains("/" + String.join("/", section) + "/");
        for (String word : composition.overrides()) {
            if (Sections.key(word).equals(group) && !isOfGroup) {
                throw StageException.input(Problem.config(word, "has no effect: a file defines the card")
                        .note("file", origin.describe())
                        .hint("give " + word + " or " + group + "." + KEY + ", and override single values with " + group
                                + ".<key>=<value>"));
            }
        }
    }
}
