package dev.stagesim.model;

import java.util.ArrayList;
import java.util.List;

/**
 * One error in the user's input: where, what, what was expected, and what to do.
 *
 * @param category leading words, for example {@code config error} or {@code artifact error}
 * @param where key path, {@code file:line}, or override and column; empty for the whole invocation
 * @param what found and expected value, one sentence without a full stop
 * @param notes labelled follow-up lines in print order
 */
public record Problem(String category, String where, String what, List<Note> notes) {
    private static final String OPTIONS = "options";
    private static final int MAX_LIST_LENGTH = 300;

    /**
     * One additional line, printed as {@code label  text}; common labels are from, was, options, hint, did you mean.
     */
    public record Note(String label, String text) {}

    public Problem {
        notes = List.copyOf(notes);
    }

    public static Problem of(String category, String where, String what) {
        return new Problem(category, where, what, List.of());
    }

    /** A problem of a setting. */
    public static Problem config(String key, String what) {
        return of("config error", key, what);
    }

    /** A problem of a file. */
    public static Problem artifact(String where, String what) {
        return of("artifact error", where, what);
    }

    /** A problem of an execution trace. */
    public static Problem trace(String where, String what) {
        return of("trace error", where, what);
    }

    /** A problem of a command line. */
    public static Problem usage(String where, String what) {
        return of("usage error", where, what);
    }

    /** Returns this problem with one more line. */
    public Problem note(String label, String text) {
        List<Note> more = new ArrayList<>(notes);
        more.add(new Note(label, text));
        return new Problem(category, where, what, more);
    }

    /** Returns this problem with the line {@code from <origin>}. */
    public Problem from(String origin) {
        return note("from", origin);
    }

    /** Returns this problem with the line {@code hint <text>}. */
    public Problem hint(String text) {
        return note("hint", text);
    }

    /** Returns this problem with the valid options, or unchanged if there are none. */
    public Problem options(List<String> options) {
        return options.isEmpty() ? this : note(OPTIONS, String.join(", ", options));
    }

    /** Returns this problem with suggestions, or unchanged if there are none. */
    public Problem didYouMean(List<String> suggestions) {
        return suggestions.isEmpty() ? this : note("did you mean", String.join(", ", suggestions));
    }

    /** Returns the problem as text for the user. */
    public String render() {
        StringBuilder out = new StringBuilder(category).append(": ");
        if (!where.isEmpty()) {
            out.append(where).append(": ");
        }
        out.append(what);
        for (Note note : notes) {
            out.append('\n')
                    .append("  ")
                    .append(note.label())
                    .append(" ".repeat(Math.max(14 - note.label().length(), 2)))
                    .append(note.label().equals(OPTIONS) ? few(note.text()) : note.text());
        }
        return out.toString();
    }

    /** Shortens a long list of options and appends their number; the suggestions are on another line. */
    private static String few(String options) {
        if (options.length() <= MAX_LIST_LENGTH || options.indexOf(", ") > MAX_LIST_LENGTH) {
            return options;
        }
        int end = options.lastIndexOf(", ", MAX_LIST_LENGTH);
        long all = options.chars().filter(c -> c == ',').count() + 1;
        return options.substring(0, end) + " ... " + all + " in all; the tab key or --help lists them";
    }
}
