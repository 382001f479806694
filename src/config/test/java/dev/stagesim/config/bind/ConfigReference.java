package dev.stagesim.config.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Generates the reference page of all configuration keys from the settings records. */
public final class ConfigReference {
    private static final String HEAD =
            """
            # Configuration keys

            Generated from the settings records; do not edit. Set a key in a config file, or as `key=value` on the command
            line. The first part lists the top-level keys of each stage. The second part lists the keys of each section once,
            although several keys may refer to it.

            To find a key, start at its stage and follow the links in the column "type". The path of a key consists of the
            keys on the way, separated by dots; `<name>` stands for a name of your choice, `<n>` for an index. For example,
            stage `cluster_sim` links from `cluster` to a section with the key `pools`, from there to one with `hardware`,
            and from there to one with `mem_gb`. The path is `cluster.pools.<name>.hardware.mem_gb`.

            A key marked **required** has no default: a preset or you must set it. A section with a `kind` accepts only the
            keys of the selected kind. `1..64` is a range that includes both ends.
            """;
    private static final String COLUMNS =
            """

            | key | type | default | meaning |
            |---|---|---|---|
            """;

    private final StringBuilder out = new StringBuilder(HEAD);
    private final ConfigSections sections = new ConfigSections();

    private ConfigReference() {}

    /**
     * Renders the page as Markdown: a table for each root, then a table for each section, sorted by path.
     *
     * @param roots root settings records by heading, in order of the page
     */
    public static String markdown(Map<String, Class<? extends Record>> roots) {
        ConfigReference page = new ConfigReference();
        roots.forEach((heading, root) ->
                page.sections.addRoot(heading, SettingsSchema.of(root).shape()));
        page.out.append("\n## Stages\n");
        roots.forEach((heading, root) -> {
            page.heading(3, heading);
            page.table(SettingsSchema.of(root).shape());
        });
        page.out.append("\n## Sections\n");
        page.sections.sorted().forEach(page::section);
        return page.out.toString();
    }

    /** Returns the anchor that GitHub derives from a heading. */
    static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 _-]", "").replace(' ', '-');
    }

    private void heading(int level, String text) {
        out.append('\n').append("#".repeat(level)).append(' ').append(text).append('\n');
    }

    private void section(ConfigSections.Entry entry) {
        heading(3, sections.heading(entry));
        if (entry.paths().size() > 1) {
            out.append(entry.paths().stream()
                    .map(path -> "`" + path + "`")
                    .collect(Collectors.joining(", ", "\nPaths: ", ".\n")));
        }
        if (entry.shape() instanceof Shape.Choice choice) {
            choice(choice, entry);
        } else if (entry.shape() instanceof Shape.Section section) {
            table(section);
        }
    }

    private void choice(Shape.Choice choice, ConfigSections.Entry entry) {
        boolean sameDefault = entry.defaultKinds().size() == 1;
        KeyDoc kind = KeyDocs.kind(
                choice, choice.key(), List.of(), entry.defaultKinds().iterator().next());
        out.append(COLUMNS);
        row(kind, typeCell(kind), sameDefault ? defaultCell(kind) : "by place");
        List<Shape.Section> kinds = choice.variants().all().toList();
        List<String> withoutKeys = new ArrayList<>();
        kinds.stream()
                .filter(section -> section.fields().isEmpty())
                .forEach(section -> withoutKeys.add("- `" + section.variant() + "`: " + section.doc() + "\n"));
        if (!withoutKeys.isEmpty()) {
            out.append("\nKinds without keys:\n\n").append(String.join("", withoutKeys));
        }
        kinds.stream().filter(section -> !section.fields().isEmpty()).forEach(section -> {
            heading(4, "`" + entry.path() + "." + choice.key() + "=" + section.variant() + "`");
            out.append('\n').append(section.doc()).append('\n');
            table(section);
        });
    }

    private void table(Shape.Section section) {
        out.append(COLUMNS);
        for (Field field : section.fields()) {
            KeyDoc key = KeyDocs.describe(field, section, field.name(), List.of());
            ConfigSections.Entry target = sections.get(field.shape());
            String type = typeCell(key);
            row(
                    key,
                    target == null
                            ? type
                            : type.replace("section", "[section](#" + anchor(sections.heading(target)) + ")"),
                    defaultCell(key));
        }
    }

    private void row(KeyDoc key, String type, String def) {
        List<String> cells = List.of("`" + key.path() + "`", type, def, key.doc());
        out.append(cells.stream()
                .map(text -> text.replace("|", "\\|").replace('\n', ' '))
                .collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    static String defaultCell(KeyDoc key) {
        if (key.required()) {
            return "**required**";
        }
        return key.def().isEmpty() ? "" : "`" + key.def() + "`";
    }

    /** Returns type, unit, and range or options. The kinds of a section are listed there, not at keys that refer to it. */
    static String typeCell(KeyDoc key) {
        String options =
                key.options().stream().map(option -> "`" + option + "`").collect(Collectors.joining(", "));
        String range = key.options().isEmpty() || key.isSection()
                ? key.range().replaceFirst("from (\\S+) to (\\S+)", "$1..$2")
                : options;
        return Stream.of(key.type(), key.unit(), range)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "))
                .replaceFirst("one of( or null)?, ", "one$1 of ");
    }
}
