package dev.stagesim.io.hf;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Vision and audio towers of a config.json. Cards do not include them. */
final class Towers {
    private static final double GIGA = 1e9;
    private static final int MAX_SIZE = 10_000_000;
    private static final List<String> PARTS = List.of("vision", "visual", "audio", "vit", "speech", "image");

    private Towers() {}

    static boolean isTower(String key) {
        String name = key.toLowerCase(Locale.ROOT);
        return PARTS.stream().anyMatch(name::contains) || name.endsWith("projector_config");
    }

    /** Returns the sections of towers by name. */
    private static Map<String, LocatedJson> sections(LocatedJson root) {
        Map<String, LocatedJson> sections = new LinkedHashMap<>();
        root.members().forEach((key, value) -> {
            if (value.isObject() && isTower(key) && !value.members().isEmpty()) {
                sections.put(key, value);
            }
        });
        return sections;
    }

    /** Returns the billions of parameters of all towers with stated dimensions, or empty without towers. */
    static Optional<Double> billions(LocatedJson root) {
        double sum = 0;
        for (LocatedJson section : sections(root).values()) {
            sum += parameters(section) / GIGA;
        }
        return sum > 0 ? Optional.of(Math.round(sum * 1e3) / 1e3) : Optional.empty();
    }

    /** Returns a sentence about the towers, or empty without towers. */
    static Optional<String> describe(LocatedJson root) {
        List<String> parts = new ArrayList<>();
        sections(root).forEach((key, section) -> {
            double size = parameters(section) / GIGA;
            parts.add(key + (size > 0 ? String.format(Locale.ROOT, " (about %.2f billion parameters)", size) : ""));
        });
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of("towers for images, video or sound are left out: " + String.join(", ", parts));
    }

    private static int number(LocatedJson at, String... names) {
        for (String name : names) {
            Optional<LocatedJson> found = at.find(name);
            if (found.isPresent() && found.get().value() instanceof JsonValue.Int) {
                int size = found.get().asInt();
                if (size < 0 || size > MAX_SIZE) {
                    throw found.get().expected("0 to " + MAX_SIZE);
                }
                return size;
            }
        }
        return 0;
    }

    /** Returns the parameters of a vision transformer and its merger, without patch embeddings. */
    private static double parameters(LocatedJson tower) {
        double hidden = number(tower, "hidden_size", "embed_dim", "vt_hidden_size", "d_model", "width");
        double layers = number(tower, "depth", "num_hidden_layers", "vt_num_hidden_layers", "encoder_layers", "layers");
        double inner = number(tower, "intermediate_size", "vt_intermediate_size", "encoder_ffn_dim");
        if (inner == 0) {
            inner = 4 * hidden;
        }
        double merge = number(tower, "spatial_merge_size");
        double out = number(tower, "out_hidden_size");
        double merged = merge * merge * hidden;
        long mergers = 1L
                + tower.find("deepstack_visual_indexes")
                        .filter(LocatedJson::isArray)
                        .map(list -> list.items().size())
                        .orElse(0);
        return layers * (4 * hidden * hidden + 2 * hidden * inner) + mergers * merged * (merged + out);
    }
}
