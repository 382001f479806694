package dev.stagesim.feature.studio;

import dev.stagesim.feature.studio.Notes.Note;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Filter and sort order for the list of runs: words, and comparisons such as {@code ttft_p99_ms<500
 * scheduler.kind=vllm}.
 *
 * <p>A name selects the key or metric with that name; otherwise those that end with it after a dot; otherwise those
 * that contain it. The tables of reports use the same rule.
 */
final class RunQuery {
    private static final Pattern TERM = Pattern.compile("(?:\"[^\"]*+\"|[^\\s\"]++)++");
    private static final Pattern COMPARISON = Pattern.compile("([^<>=!]+)(<=|>=|!=|<|>|=)(.*)");

    /** Columns in which {@code =} matches a part of the text. */
    private static final Set<String> WORDS = Set.of("model", "hardware", "engine", "workload");

    /** Columns that every run has. */
    static final Map<String, Function<RunRow, String>> FIXED = new LinkedHashMap<>();

    static {
        FIXED.put("model", RunRow::model);
        FIXED.put("hardware", RunRow::hardware);
        FIXED.put("engine", row -> row.subject().engine());
        FIXED.put("workload", row -> row.subject().workload());
        FIXED.put("ended", RunRow::ended);
        FIXED.put("stage", RunRow::stage);
        FIXED.put("run", RunRow::id);
        FIXED.put("overrides", RunRow::overrides);
        FIXED.put("seconds", row -> Double.toString(row.seconds()));
        FIXED.put("warnings", row -> Integer.toString(row.warnings()));
        FIXED.put("state", RunRow::state);
    }

    private final List<Term> terms;
    private final Map<String, Note> notes;

    /** A condition; {@code op} is empty for a word that may occur anywhere. */
    private record Term(String name, String op, String value, Column column) {}

    RunQuery(String text, Map<String, Note> notes) {
        this.notes = notes;
        List<Term> all = new ArrayList<>();
        Matcher words = TERM.matcher(text);
        while (words.find()) {
            Matcher comparison = COMPARISON.matcher(words.group().replace("\"", ""));
            if (comparison.matches()) {
                String name = comparison.group(1);
                all.add(new Term(name, comparison.group(2), comparison.group(3), new Column(name)));
            } else {
                String word = words.group().replace("\"", "").toLowerCase(Locale.ROOT);
                all.add(new Term("", "", word, new Column("")));
            }
        }
        this.terms = List.copyOf(all);
    }

    /**
     * Returns the rows that match all terms, sorted by a column. A leading minus means descending order; rows without a
     * value are last.
     */
    List<RunRow> answer(List<RunRow> rows, String sort) {
        boolean descending = sort.startsWith("-");
        Column column = new Column(descending ? sort.substring(1) : sort);
        return rows.stream()
                .filter(this::matches)
                .map(row -> Sorted.of(row, column))
                .sorted(Sorted.order(descending))
                .map(Sorted::row)
                .toList();
    }

    private boolean matches(RunRow row) {
        for (Term term : terms) {
            if (!(term.op().isEmpty() ? containsWord(row, term.value()) : holds(row, term))) {
                return false;
            }
        }
        return true;
    }

    private boolean containsWord(RunRow row, String word) {
        return row.words().contains(word)
                || (notes.containsKey(row.name()) && noteText(row).contains(word));
    }

    private String noteText(RunRow row) {
        Note note = notes.getOrDefault(row.name(), Note.NONE);
        return (String.join(" ", note.tags()) + " " + note.text()).toLowerCase(Locale.ROOT);
    }

    private boolean holds(RunRow row, Term term) {
        if (term.name().equals("tag")) {
            boolean has = notes.getOrDefault(row.name(), Note.NONE).tags().contains(term.value());
            return term.op().equals("!=") != has;
        }
        if (term.name().equals("note")) {
            return noteText(row).contains(term.value().toLowerCase(Locale.ROOT))
                    == !term.op().equals("!=");
        }
        Function<RunRow, String> fixed = FIXED.get(term.name());
        if (fixed != null) {
            String text = fixed.apply(row);
            boolean words = WORDS.contains(term.name());
            return (words && term.op().equals("="))
                    ? text.toLowerCase(Locale.ROOT).contains(term.value().toLowerCase(Locale.ROOT))
                    : compare(text, term);
        }
        for (int at : term.column().figures(row)) {
            if (compare(row.figures().values().get(at), term)) {
                return true;
            }
        }
        for (int at : term.column().keys(row)) {
            if (compare(row.keys().values().get(at), term)) {
                return true;
            }
        }
        return false;
    }

    private static boolean compare(String text, Term term) {
        double value = number(text);
        if (!Double.isNaN(value) && !Double.isNaN(number(term.value()))) {
            return compare(value, term);
        }
        // Only a number can be less or greater than a number.
        boolean never = !Double.isNaN(number(term.value())) && !text.equals(term.value()) && !isTime(text);
        return never ? term.op().equals("!=") : compared(text.compareTo(term.value()), term.op());
    }

    private static boolean isTime(String text) {
        return text.length() > 10 && text.charAt(4) == '-' && text.charAt(10) == 'T';
    }

    private static boolean compare(double value, Term term) {
        double other = number(term.value());
        return !Double.isNaN(other) && compared(Double.compare(value, other), term.op());
    }

    private static boolean compared(int order, String op) {
        return switch (op) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            case "=" -> order == 0;
            default -> order != 0;
        };
    }

    /** Returns the text of a column, or an empty string if the row has none. */
    static String text(RunRow row, Column column) {
        Function<RunRow, String> fixed = FIXED.get(column.name);
        if (fixed != null) {
            return fixed.apply(row);
        }
        int[] figures = column.figures(row);
        if (figures.length > 0) {
            return row.figures().values().get(figures[0]).toString();
        }
        int[] keys = column.keys(row);
        return keys.length > 0 ? row.keys().values().get(keys[0]) : "";
    }

    /** Parses a number; returns NaN for other text. */
    static double number(String text) {
        if (text.isEmpty() || text.charAt(0) > '9') {
            return Double.NaN;
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException word) {
            return Double.NaN;
        }
    }

    /** A row and its sort key. */
    private record Sorted(RunRow row, double number, String text) {
        static Sorted of(RunRow row, Column column) {
            int[] figures = FIXED.containsKey(column.name) ? new int[0] : column.figures(row);
            if (figures.length > 0) {
                return new Sorted(row, row.figures().values().get(figures[0]), "figure");
            }
            String text = RunQuery.text(row, column);
            return new Sorted(row, RunQuery.number(text), text);
        }

        boolean isEmpty() {
            return text.isEmpty() || text.equals("null");
        }

        static Comparator<Sorted> order(boolean descending) {
            Comparator<Sorted> words = Comparator.comparing(Sorted::text);
            Comparator<Sorted> numbers = Comparator.comparingDouble(Sorted::number);
            Comparator<Sorted> values = (a, b) -> (Double.isNaN(a.number) || Double.isNaN(b.number))
                    ? Double.isNaN(a.number) == Double.isNaN(b.number)
                            ? words.compare(a, b)
                            : Boolean.compare(Double.isNaN(a.number), Double.isNaN(b.number))
                    : numbers.compare(a, b);
            return Comparator.comparing(Sorted::isEmpty) // // rows with a value come first
                    .thenComparing(descending ? values.reversed() : values)
                    .thenComparing(sorted -> sorted.row().stage())
                    .thenComparing(sorted -> sorted.row().id());
        }
    }

    /** Resolves a name to a key or metric, once per list of names. Not thread-safe. */
    static final class Column {
        private final String name;
        private final IdentityHashMap<List<String>, int[]> places = new IdentityHashMap<>();

        Column(String name) {
            this.name = name;
        }

        int[] figures(RunRow row) {
            return places(row.figures().names());
        }

        int[] keys(RunRow row) {
            return places(row.keys().names());
        }

        private int[] places(List<String> names) {
            return places.computeIfAbsent(names, all -> {
                int exact = all.indexOf(name);
                if (exact >= 0) {
                    return new int[] {exact};
                }
                int[] below = at(all, each -> each.endsWith("." + name));
                return below.length > 0 ? below : at(all, each -> each.contains(name));
            });
        }

        private static int[] at(List<String> names, java.util.function.Predicate<String> of) {
            return java.util.stream.IntStream.range(0, names.size())
                    .filter(i -> of.test(names.get(i)))
                    .toArray();
        }
    }
}
