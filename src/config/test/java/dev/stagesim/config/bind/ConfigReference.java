package dev.stagesim.config.bind;

import dev.stagesim.model.KeyNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The reference page of all configuration keys, generated from the settings records. */
public final class ConfigReference {
    private static final String HEAD =
            """
            # Configuration keys

            Generated from the settings records; do not edit. A section is a table of keys, set in a config file or as
            `key=value` on the command line. A key marked **required** has no default: a preset or you must give it. Where a
            section has a `kind`, only the keys of the chosen kind are legal. `<name>` stands for a name of your choice,
            `<n>` for an index.
            """;

    private ConfigReference() {}

    /** One key of one or several records. */
    private record Entry(KeyDoc key, List<String> users) {}

    /**
     * Renders the page as Markdown: one section per root key, in alphabetical order; keys in order of declaration. Records
     * that share a section share its table.
     *
     * @param roots root settings records, in the order in which they are to be named
     */
    public static String markdown(List<Class<? extends Record>> roots) {
        Map<String, Map<String, Entry>> sections = new TreeMap<>();
        for (Class<? extends Record> root : roots) {
            List<KeyDoc> keys = KeyDocs.list(root);
            String user = KeyNames.snake(root.getSimpleName().replaceFirst("(Stage)?Settings$", ""));
            for (KeyDoc key : keys) {
                sections.computeIfAbsent(sectionOf(key, keys), name -> new LinkedHashMap<>())
                        .computeIfAbsent(identity(key), text -> new Entry(key, new ArrayList<>()))
                        .users()
                        .add(user);
            }
        }
        StringBuilder out = new StringBuilder(HEAD);
        sections.forEach((name, entries) -> section(out, name, List.copyOf(entries.values())));
        return out.toString();
    }

    /** The root key a key belongs to; empty for root keys that hold a plain value. */
    private static String sectionOf(KeyDoc key, List<KeyDoc> all) {
        String root = SchemaPaths.segments(key.path()).get(0);
        boolean hasKeys = all.stream().anyMatch(other -> other.path().startsWith(root + "."));
        return hasKeys || key.isSection() ? root : "";
    }

    /** Equal for keys that mean the same, whatever record declares them. */
    private static String identity(KeyDoc key) {
        return String.join(
                "\0",
                key.path(),
                key.kinds().toString(),
                key.type(),
                key.unit(),
                key.def(),
                key.range(),
                key.options().toString(),
                key.doc());
    }

    private static void section(StringBuilder out, String name, List<Entry> entries) {
        out.append("\n## ")
                .append(name.isEmpty() ? "Keys without section" : name)
                .append('\n');
        List<Entry> heads = entries.stream()
                .filter(entry -> entry.key().path().equals(name))
                .toList();
        for (Entry head : heads) {
            out.append('\n')
                    .append(head.key().doc())
                    .append(" Used by: ")
                    .append(users(head))
                    .append(".\n");
        }
        Map<String, List<Entry>> tables = new LinkedHashMap<>();
        for (Entry entry : entries) {
            if (!heads.contains(entry) || !entry.key().isSection()) {
                tables.computeIfAbsent(String.join(", ", entry.key().kinds()), kinds -> new ArrayList<>())
                        .add(entry);
            }
        }
        String all =
                heads.stream().flatMap(head -> head.users().stream()).distinct().collect(Collectors.joining(", "));
        tables.forEach((kinds, rows) -> table(out, kinds, rows, all));
    }

    private static String users(Entry entry) {
        return entry.users().stream().distinct().collect(Collectors.joining(", "));
    }

    private static void table(StringBuilder out, String kinds, List<Entry> rows, String users) {
        if (!kinds.isEmpty()) {
            out.append("\n### ").append(kinds).append('\n');
        }
        out.append("\n| key | type | unit | default | range or options | meaning |\n|---|---|---|---|---|---|\n");
        rows.forEach(entry -> row(out, entry, users));
    }

    private static void row(StringBuilder out, Entry entry, String sectionUsers) {
        KeyDoc key = entry.key();
        String own = users(entry);
        String only = own.equals(sectionUsers) ? "" : " (only " + own + ")";
        List<String> cells = List.of(
                "`" + key.path() + "`", key.type(), key.unit(), defaultCell(key), rangeCell(key), key.doc() + only);
        out.append(cells.stream().map(ConfigReference::cell).collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    private static String defaultCell(KeyDoc key) {
        if (key.required()) {
            return "**required**";
        }
        return key.def().isEmpty() ? "" : "`" + key.def() + "`";
    }

    private static String rangeCell(KeyDoc key) {
        return key.options().isEmpty()
                ? key.range()
                : key.options().stream().map(option -> "`" + option + "`").collect(Collectors.joining(", "));
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace('\n', ' ');
    }
}
