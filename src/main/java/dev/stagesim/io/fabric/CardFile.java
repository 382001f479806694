package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the accelerator card of a target among YAML files, as the reference does. */
final class CardFile {
    private CardFile() {}

    /**
     * The card: in a directory the file named after the target, else after its vendor, else the first by name that says
     * it matches; or the file given. Empty when there is none, or the file given cannot be read: the reference then goes
     * on with defaults that lack half of the keys.
     */
    static Optional<JsonValue.Obj> find(Path place, String target, String vendor) throws IOException {
        if (!Files.isDirectory(place)) {
            return tolerant(place);
        }
        for (String name : List.of(normalised(target), vendor.toLowerCase(Locale.ROOT))) {
            Path file = place.resolve(name + ".yaml");
            if (Files.exists(file)) {
                return Optional.of(read(file));
            }
        }
        return matching(place, target, vendor);
    }

    private static Optional<JsonValue.Obj> matching(Path place, String target, String vendor) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(place)) {
            files = entries.filter(CardFile::isYaml).sorted().toList();
        }
        for (Path file : files) {
            JsonValue.Obj card = read(file);
            JsonValue.Obj match = Plain.object(card, "match").orElse(JsonValue.EMPTY);
            boolean isNamed = Plain.text(match, "name").filter(target::equals).isPresent();
            if (isNamed || Plain.text(match, "vendor").orElse("").equalsIgnoreCase(vendor)) {
                return Optional.of(card);
            }
        }
        return Optional.empty();
    }

    private static boolean isYaml(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return name.endsWith(".yaml") || name.endsWith(".yml");
    }

    private static Optional<JsonValue.Obj> tolerant(Path file) throws IOException {
        try {
            return Optional.of(read(file));
        } catch (StageException unreadable) {
            return Optional.empty();
        }
    }

    private static JsonValue.Obj read(Path file) throws IOException {
        return Yaml.read(file, Yaml.Rules.PYTHON).object();
    }

    private static String normalised(String name) {
        StringBuilder out = new StringBuilder();
        name.codePoints().forEach(c -> {
            if (Character.isLetterOrDigit(c)) {
                out.appendCodePoint(Character.toLowerCase(c));
            } else {
                out.append('_');
            }
        });
        return out.toString();
    }
}
