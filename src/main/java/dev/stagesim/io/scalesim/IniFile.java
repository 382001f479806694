package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Sections of {@code key = value} or {@code key : value} lines; keys are read without regard to case. */
final class IniFile {
    private static final String CATEGORY = "array description error";

    private record Entry(String value, int line) {}

    private final Path file;
    private final Map<String, Map<String, Entry>> sections = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();

    private IniFile(Path file) {
        this.file = file;
    }

    static IniFile read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw StageException.input(Problem.of(CATEGORY, file.toString(), "there is no such file"));
        }
        IniFile ini = new IniFile(file);
        List<String> lines = TextLines.read(file, CATEGORY);
        Optional<Map<String, Entry>> section = Optional.empty();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
                continue;
            }
            if (line.startsWith("[") && line.endsWith("]")) {
                section = Optional.of(ini.sections.computeIfAbsent(
                        line.substring(1, line.length() - 1), name -> new LinkedHashMap<>()));
                continue;
            }
            ini.entry(section, line, i + 1);
        }
        ini.check();
        return ini;
    }

    private void entry(Optional<Map<String, Entry>> section, String line, int number) {
        int at = separator(line);
        if (section.isEmpty() || at <= 0) {
            String what = section.isEmpty() ? "a line before the first [section]" : "expected key = value";
            problems.add(Problem.of(CATEGORY, file + ":" + number, what + ": '" + line + "'"));
            return;
        }
        String key = line.substring(0, at).strip().toLowerCase(Locale.ROOT);
        section.get().put(key, new Entry(line.substring(at + 1).strip(), number));
    }

    private static int separator(String line) {
        int colon = line.indexOf(':');
        int equals = line.indexOf('=');
        return colon < 0 || equals < 0 ? Math.max(colon, equals) : Math.min(colon, equals);
    }

    /** Reports all problems found so far, if any. */
    void check() {
        if (!problems.isEmpty()) {
            throw StageException.input(List.copyOf(problems));
        }
    }

    /** A value that may be left out. */
    Optional<String> find(String section, String key) {
        return Optional.ofNullable(sections.getOrDefault(section, Map.of()).get(key.toLowerCase(Locale.ROOT)))
                .map(Entry::value);
    }

    /** A value that must be there; the empty text stands in for a missing one, which is reported by {@link #check}. */
    String text(String section, String key) {
        Optional<String> value = find(section, key);
        if (value.isEmpty()) {
            String what = sections.containsKey(section)
                    ? "section [" + section + "] lacks key '" + key + "'"
                    : "there is no section [" + section + "], which holds '" + key + "'";
            problems.add(Problem.of(CATEGORY, file.toString(), what));
        }
        return value.orElse("");
    }

    /** A whole number of at least {@code least}. */
    int number(String section, String key, int least) {
        String text = text(section, key);
        return text.isEmpty() ? least : parse(section, key, text, least);
    }

    /** The same with a default. */
    int number(String section, String key, int least, int byDefault) {
        return find(section, key).map(text -> parse(section, key, text, least)).orElse(byDefault);
    }

    int parse(String section, String key, String text, int least) {
        try {
            int value = Integer.parseInt(text.strip());
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below, together with numbers that are too small.
        }
        problem(section, key, "expected a whole number of at least " + least + ", found '" + text + "'");
        return least;
    }

    void problem(String section, String key, String what) {
        Optional<Entry> entry =
                Optional.ofNullable(sections.getOrDefault(section, Map.of()).get(key.toLowerCase(Locale.ROOT)));
        String where = entry.map(found -> file + ":" + found.line()).orElse(file.toString());
        problems.add(Problem.of(CATEGORY, where, key + ": " + what));
    }
}
