package dev.stagesim.cli;

import dev.stagesim.cli.console.Home;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.io.gzip.Resources;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageFlag;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The help of a stage: the keys that most runs set, with examples; and the groups with all their options. */
final class StageHelp {
    /** Maximum lines of a short help. */
    static final int MAX_LINES = 40;

    /** Maximum keys of a short help. */
    static final int MAX_KEYS = 22;

    private static final int WIDTH = 96;
    private static final int NAME = 12;
    private static final List<String> SWEEPING = List.of("launcher", "sweeper");
    private static final String FILE = "help.txt";

    private final Home home;
    private final Stage<?> stage;
    private final SettingsSchema schema;
    private final Map<String, String> shortKeys;

    StageHelp(Home home, Stage<?> stage) {
        this.home = home;
        this.stage = stage;
        this.schema = SettingsSchema.of(stage.spec().settings());
        this.shortKeys = ShortKeys.of(stage);
    }

    private ConfigEngine engine() {
        return ConfigEngine.open(List.of(new SearchRoot("main", home.configs())));
    }

    /** The keys and examples of a stage, and the descriptions of keys. */
    record Page(List<String> keys, List<String> examples, Map<String, String> descriptions) {}

    /** Returns the page of a stage; without keys if it has none. */
    static Page page(String stage) {
        Map<String, String> descriptions = new LinkedHashMap<>();
        List<String> section = List.of();
        String text = Resources.text(StageHelp.class, FILE);
        describe(text.substring(0, text.indexOf("\n[")), descriptions);
        String title = "\n[" + stage + "]\n";
        int start = text.indexOf(title);
        if (start >= 0) {
            String own = text.substring(start + title.length()).split("\n\n", 2)[0];
            describe(own, descriptions);
            section = own.lines().toList();
        }
        List<String> keys =
                section.isEmpty() ? List.of() : List.of(section.get(0).split(" "));
        List<String> examples = section.stream()
                .filter(line -> line.startsWith("$ "))
                .map(line -> "stage" + line.substring(1))
                .toList();
        return new Page(keys, examples, descriptions);
    }

    /** Reads the lines {@code key = description}. */
    private static void describe(String text, Map<String, String> descriptions) {
        text.lines()
                .map(line -> line.split(" = ", 2))
                .filter(parts -> parts.length == 2)
                .forEach(parts -> descriptions.put(parts[0], parts[1]));
    }

    /**
     * Returns the short help.
     *
     * @param listsOptions false if the text must not depend on the configs on disk
     */
    String brief(boolean listsOptions) {
        String name = stage.spec().name();
        Page page = page(name);
        StringBuilder out = new StringBuilder("Usage: stage " + name + " [KEY=VALUE...] [OPTION...]\n")
                .append(cut(stage.spec().doc(), WIDTH))
                .append("\n\n");
        List<String> keys = page.keys().isEmpty() ? unlisted() : page.keys();
        int width = keys.stream().mapToInt(String::length).max().orElse(0);
        for (String key : keys) {
            String line = String.format(
                    "  %-" + width + "s  %s%s", key, page.descriptions().getOrDefault(key, ""), realKeys(key));
            out.append(listsOptions ? withOptions(line, key) : line).append('\n');
        }
        out.append(
                "\nOptions: -m runs each combination of KEY=A,B  --dry-run  --force  --json  --cfg job  --help --all\n");
        for (StageFlag flag : stage.flags()) {
            out.append("  ")
                    .append(flag.name())
                    .append("  ")
                    .append(flag.doc())
                    .append(" (")
                    .append(flag.override())
                    .append(")\n");
        }
        page.examples()
                .forEach(example -> out.append("Example: ").append(example).append('\n'));
        return out.append("All keys: stage " + name + " --help --all; specs/reference/config.md\n")
                .toString();
    }

    /** Returns the short keys and the sections of a stage that the file does not list. */
    private List<String> unlisted() {
        return Stream.concat(shortKeys.keySet().stream(), schema.children("").stream())
                .limit(MAX_KEYS)
                .toList();
    }

    /** Returns the keys that a short key sets, without kinds, groups and implied numbers of drafts. */
    private String realKeys(String key) {
        String keys = Stream.of(shortKeys.getOrDefault(key, "").split(" "))
                .filter(path -> !path.endsWith(".kind")
                        && !path.endsWith(".groups")
                        && !path.endsWith(".num_tokens")
                        && (path.contains(".") || path.equals("load")))
                .collect(Collectors.joining(", "));
        return keys.isEmpty() ? "" : " (" + keys + ")";
    }

    /** Appends all options of a group to a line, or their number if they do not fit. */
    private String withOptions(String line, String group) {
        List<String> options =
                shortKeys.containsKey(group) || group.contains(".") ? List.of() : engine().options(group);
        String all = line + ": " + String.join(", ", options);
        return options.isEmpty() ? line : all.length() <= WIDTH ? all : line + " (" + options.size() + " options)";
    }

    /** Cuts a text that is longer than a width after a clause, otherwise after a word. */
    static String cut(String text, int width) {
        if (text.length() <= width) {
            return text;
        }
        String begin = text.substring(0, width - 3);
        int clause = Math.max(begin.lastIndexOf(": "), Math.max(begin.lastIndexOf(", "), begin.lastIndexOf("; ")));
        return clause > width / 2 ? begin.substring(0, clause) : begin.substring(0, begin.lastIndexOf(' ')) + " ...";
    }

    /** Returns the short keys, and one paragraph per group with all its options on disk. */
    String groups() {
        ConfigEngine engine = engine();
        StringBuilder out = new StringBuilder();
        if (!shortKeys.isEmpty()) {
            out.append("\nShort keys (key=value) and the keys that they set:\n");
            shortKeys.forEach((key, paths) -> out.append(String.format("  %-16s %s\n", key, paths)));
        }
        out.append("\nGroups and their options (group=option):\n");
        for (String group : engine.groups()) {
            List<String> options = engine.options(group);
            if (schema.isKnown(group.replaceFirst("/.*", "")) && !options.isEmpty()) {
                out.append(line(group, options)).append('\n');
            }
        }
        out.append("Groups with --multirun:\n");
        for (String group : SWEEPING) {
            out.append(line(group, engine.options(group))).append('\n');
        }
        return out.append("\nKeys: specs/reference/config.md, or complete with the tab key (stage completion --help)\n")
                .toString();
    }

    private static String line(String group, List<String> options) {
        StringBuilder text = new StringBuilder();
        StringBuilder line = new StringBuilder(String.format("  %-" + NAME + "s ", group));
        for (int i = 0; i < options.size(); i++) {
            String option = options.get(i) + (i + 1 < options.size() ? ", " : "");
            if (line.length() + option.stripTrailing().length() > WIDTH && i > 0) {
                text.append(line.toString().stripTrailing()).append('\n');
                line = new StringBuilder(" ".repeat(NAME + 3));
            }
            line.append(option);
        }
        return text.append(line).toString();
    }
}
