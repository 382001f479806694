package dev.stagesim.io.hf;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Generates the reference page of model files from the code. */
public final class ModelReference {
    private ModelReference() {}

    public static String markdown() {
        StringBuilder page =
                new StringBuilder("# Model files\n\nGenerated from the code. `config.json` of these families is"
                        + " read; another `model_type` gives a card with `confidence = low` and a warning of every run that uses"
                        + " it.\n\n## Supported families\n\n| `model_type` | fixed by its code |\n|---|---|\n");
        Family.known().values().stream()
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .forEach(family -> page.append("| `")
                        .append(family.name())
                        .append("` | ")
                        .append(family.traits().stream()
                                .map(trait -> trait.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", ")))
                        .append(" |\n"));
        page.append("\n## Keys of config.json that are read\n\n").append(list(UnsupportedConfig.keys()));
        page.append("\n## Keys that change no shape\n\n").append(list(UnsupportedConfig.harmless()));
        page.append(
                        "\nAny other key that can change shapes, layers, widths or storage by its name, and is not null, false"
                                + " or empty, is reported.\n\n## Methods of quantisation\n\n")
                .append(list(new TreeSet<>(QuantMethods.NAMES)));
        return page.toString();
    }

    private static String list(Set<String> names) {
        return new TreeSet<>(names).stream().map(name -> "`" + name + "`").collect(Collectors.joining(", ", "", ".\n"));
    }
}
