package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds keys on the reference page as a reader does: from the table of a stage, by following links. */
public final class ConfigReferenceLinks {
    private static final Pattern LINK = Pattern.compile("\\[section]\\(#([^)]*)\\)");

    private final Map<String, List<Row>> sections = new LinkedHashMap<>();
    private final Set<String> found = new TreeSet<>();

    /**
     * A row of a table.
     *
     * @param kind the kind of the section that the key belongs to, as {@code kind=zipf}; empty if there are no kinds
     */
    private record Row(String kind, List<String> cells) {}

    private ConfigReferenceLinks(String page) {
        String anchor = "";
        String kind = "";
        for (String line : page.split("\n", -1)) {
            if (line.startsWith("#### ")) {
                kind = line.substring(line.lastIndexOf('.') + 1, line.length() - 1);
            } else if (line.startsWith("### ")) {
                kind = "";
                anchor = ConfigReference.anchor(line.substring(4));
                assertThat(sections.put(anchor, new ArrayList<>())).as(line).isNull();
            } else if (line.startsWith("| `")) {
                String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
                sections.get(anchor).add(new Row(kind, Arrays.asList(cells)));
            }
        }
    }

    /** Asserts that the page leads to each key of the roots and no others, with default, range and meaning. */
    public static void assertLeadsToAllKeys(String page, Map<String, Class<? extends Record>> roots) {
        ConfigReferenceLinks links = new ConfigReferenceLinks(page);
        roots.forEach((heading, root) -> {
            links.found.clear();
            links.follow(ConfigReference.anchor(heading), "", List.of());
            assertThat(links.found).as(heading).isEqualTo(expected(root));
        });
    }

    private void follow(String anchor, String prefix, List<String> kinds) {
        assertThat(sections).as("target of a link").containsKey(anchor);
        for (Row row : sections.get(anchor)) {
            List<String> rowKinds = new ArrayList<>(kinds);
            if (!row.kind().isEmpty()) {
                rowKinds.add(prefix + row.kind());
            }
            String path = prefix + row.cells().get(0).replace("`", "");
            Matcher link = LINK.matcher(row.cells().get(1));
            boolean isKind = row.cells().get(3).startsWith("Selects the kind");
            String type = link.replaceAll("section");
            found.add(
                    text(path, rowKinds, type, isKind ? List.of() : row.cells().subList(2, 4)));
            if (link.reset().find()) {
                follow(link.group(1), path + suffix(type) + ".", rowKinds);
            }
        }
    }

    /** Returns the path segments of elements for a type such as "map of list of section". */
    private static String suffix(String type) {
        return Pattern.compile("(list|map) of ")
                .matcher(type)
                .results()
                .map(match -> match.group(1).equals("list") ? ".<n>" : ".<name>")
                .collect(Collectors.joining());
    }

    private static Set<String> expected(Class<? extends Record> root) {
        Set<String> expected = new TreeSet<>();
        for (KeyDoc key : KeyDocs.list(root)) {
            boolean isKind = key.doc().startsWith("Selects the kind");
            List<String> cells = List.of(ConfigReference.defaultCell(key), key.doc());
            expected.add(text(key.path(), key.kinds(), ConfigReference.typeCell(key), isKind ? List.of() : cells));
        }
        return expected;
    }

    private static String text(String path, List<String> kinds, String type, List<String> cells) {
        return path + " " + kinds + " " + type + " "
                + cells.stream().map(cell -> cell.replace("\\|", "|")).toList();
    }
}
