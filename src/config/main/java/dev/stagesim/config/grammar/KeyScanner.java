package dev.stagesim.config.grammar;

import java.util.Optional;

/** Parses the left side of an override: prefix, key or group, package and operator. */
final class KeyScanner {
    private static final int MAX_DEPTH = 200;

    private final String text;
    private final Dialect dialect;
    private final Faults faults;
    private int position;

    /** True if the key has a bracket or an escape, so that it cannot be a group. */
    private boolean isValuePath;

    /**
     * The left side of an override.
     *
     * @param type the operation
     * @param key key or group, with normalised list indices
     * @param pkg part after {@code @}
     * @param valueStart offset of the value after leading blanks, or -1 if there is no value
     */
    record Left(ConfigOverride.Type type, String key, Optional<String> pkg, int valueStart) {}

    KeyScanner(String text, Dialect dialect, Faults faults) {
        this.text = text;
        this.dialect = dialect;
        this.faults = faults;
    }

    Left read() {
        ConfigOverride.Type type = prefix();
        String key = target();
        Optional<String> pkg = Optional.empty();
        if (Scan.at(text, position) == '@' && !isValuePath) {
            position++;
            pkg = Optional.of(path(position, false));
        }
        if (type == ConfigOverride.Type.DELETE && position == text.length()) {
            return new Left(type, key, pkg, -1);
        }
        type = operator(type);
        return new Left(type, key, pkg, Scan.blanks(text, position));
    }

    /** True if {@code text} is a key or group with an optional prefix and package, as in the columns of {@code zip}. */
    static boolean isKey(String text) {
        int plus = text.startsWith("++") ? 2 : text.startsWith("+") ? 1 : 0;
        KeyScanner scanner = new KeyScanner(text, Dialect.STAGE, Faults.ofText(text));
        scanner.position = plus;
        String key = scanner.target();
        if (Scan.at(text, scanner.position) == '@') {
            scanner.position++;
            scanner.path(scanner.position, false);
        }
        return !key.isEmpty() && scanner.position == text.length();
    }

    private ConfigOverride.Type prefix() {
        if (text.startsWith("~")) {
            position = 1;
            return ConfigOverride.Type.DELETE;
        }
        position = text.startsWith("++") ? 2 : text.startsWith("+") ? 1 : 0;
        return position == 2
                ? ConfigOverride.Type.FORCE_ADD
                : position == 1 ? ConfigOverride.Type.ADD : ConfigOverride.Type.CHANGE;
    }

    private ConfigOverride.Type operator(ConfigOverride.Type type) {
        if (Scan.at(text, position) == '=') {
            position++;
            return type;
        }
        if (dialect.hasMoreSyntax() && type == ConfigOverride.Type.CHANGE && Scan.at(text, position + 1) == '=') {
            char c = text.charAt(position);
            if (c == '+' || c == ':') {
                position += 2;
                return c == '+' ? ConfigOverride.Type.APPEND : ConfigOverride.Type.REPLACE;
            }
        }
        throw badKey();
    }

    /** Parses a group ({@code a/b}) or a dotted path; may be empty. */
    private String target() {
        int start = position;
        int end = Scan.id(text, start);
        if (end < 0 || Scan.at(text, end) != '/') {
            return path(start, dialect.hasIndexedKeys());
        }
        while (Scan.at(text, end) == '/') {
            int part = Scan.id(text, end + 1);
            position = part < 0 ? end + 1 : part;
            if (part < 0) {
                throw badKey();
            }
            end = part;
        }
        return text.substring(start, end);
    }

    /** Parses a dotted path from {@code start} up to the first character that cannot be part of it. */
    private String path(int start, boolean hasBrackets) {
        StringBuilder out = new StringBuilder();
        int escaped = hasBrackets ? escaped(start) : -1;
        int end = escaped < 0 ? segment(start) : escaped;
        if (end < 0) {
            return "";
        }
        out.append(text, start, end);
        boolean number = escaped < 0 && Scan.isDigit(text.charAt(start));
        int segments = 1;
        position = end;
        while (true) {
            int index = hasBrackets && !(number && segments == 1) ? bracket(position) : -1;
            int name = Scan.at(text, position) == '.' ? named(position + 1, hasBrackets) : -1;
            if (index < 0 && name < 0) {
                break;
            }
            out.append('.').append(text, position + 1, index < 0 ? name : index - 1);
            position = index < 0 ? name : index;
            if (++segments > MAX_DEPTH) {
                throw faults.syntax(position, "the key has more than " + MAX_DEPTH + " parts", "flatten the tree");
            }
        }
        if (number && segments == 1 && !dialect.hasMoreSyntax()) {
            position = start;
            throw badKey();
        }
        return out.toString();
    }

    private int named(int from, boolean hasEscapes) {
        int escaped = hasEscapes ? escaped(from) : -1;
        return escaped < 0 ? segment(from) : escaped;
    }

    /** Returns the end of a segment with at least one escaped character, or -1. */
    private int escaped(int from) {
        if (!dialect.hasEscapedKeys()) {
            return -1;
        }
        int end = Scan.escapedName(text, from);
        boolean isEscaped = end >= 0 && text.substring(from, end).indexOf('\\') >= 0;
        isValuePath |= isEscaped;
        return isEscaped ? end : -1;
    }

    private int segment(int from) {
        int name = Scan.keyId(text, from);
        return name >= 0 ? name : Scan.unsigned(text, from);
    }

    /** Since Hydra 1.4 {@code [0]} means {@code .0}, and {@code [-1]} is the last element. */
    private int bracket(int from) {
        if (Scan.at(text, from) != '[') {
            return -1;
        }
        int end = dialect.hasEscapedKeys() ? Scan.escapedName(text, from + 1) : Scan.bracketName(text, from + 1);
        boolean isClosed = end >= 0 && Scan.at(text, end) == ']';
        isValuePath |= isClosed && dialect.hasEscapedKeys();
        return isClosed ? end + 1 : -1;
    }

    private RuntimeException badKey() {
        char c = Scan.at(text, position);
        if (position >= text.length()) {
            return faults.syntax(position, "expected '=' and a value", "write key=value, +key=value or ~key");
        }
        if (Scan.isBlank(c)) {
            return faults.syntax(
                    position, "a blank is not allowed in a key", "write key=value without blanks before =");
        }
        if (c == ':') {
            return faults.syntax(position, "unexpected ':' in a key", "write key=value; packages are renamed with @");
        }
        return faults.syntax(
                position,
                "unexpected " + Faults.show(text, position) + " in a key, expected '='",
                "keys are dotted names: a.b.0, group/sub@package");
    }
}
