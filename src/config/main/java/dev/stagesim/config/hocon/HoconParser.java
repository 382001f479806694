package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Parses valid HOCON text into the ordered tree.
 *
 * <p>The HOCON library validates the text, but its result lacks the order of keys, columns and the notation of numbers.
 * This parser keeps them.
 */
final class HoconParser {
    /** Supplies included files. */
    interface Includes {
        /** Returns the document that replaces {@code include}. Its keys are read below {@code prefix}. */
        Optional<HoconDocument> load(String name, List<String> prefix, Origin where);
    }

    /** A map under construction with its full path. Maps inside lists have no path. */
    private record Scope(List<String> path, TreeBuilder map, boolean addressable) {}

    private final TextCursor text;
    private final Includes includes;
    private final References references;
    private final Deque<Scope> scopes = new ArrayDeque<>();
    private final ConcatenationResolver resolver;
    /** Concatenations in file order. The sorted paths make all paths below a prefix adjacent. */
    private final Map<List<String>, Concatenation> concatenations = new LinkedHashMap<>();

    private final NavigableSet<List<String>> paths = new TreeSet<>(HoconParser::order);
    private final List<String> warnings = new ArrayList<>();
    private Optional<String> header = Optional.empty();

    HoconParser(TextCursor text, Includes includes, References references, ConcatenationResolver resolver) {
        this.text = text;
        this.includes = includes;
        this.references = references;
        this.resolver = resolver;
    }

    HoconDocument parse() {
        TreeBuilder root = new TreeBuilder(text.origin());
        leadingComments();
        scopes.push(new Scope(List.of(), root, true));
        boolean braced = text.peek() == '{';
        if (braced) {
            text.next();
        }
        fields();
        if (braced) {
            text.skip(1);
        }
        scopes.pop();
        text.skipFiller();
        if (!text.atEnd()) {
            throw text.error("expected the end of the file, found '" + text.peek() + "'");
        }
        return new HoconDocument(root.build(), List.copyOf(concatenations.values()), header, warnings);
    }

    private void leadingComments() {
        while (!text.atEnd()) {
            if (text.atComment()) {
                String comment = text.comment();
                if (header.isEmpty() && (comment.equals("@package") || comment.startsWith("@package "))) {
                    header = Optional.of(comment.substring("@package".length()).strip());
                }
            } else if (text.peek() == '\n' || TextCursor.isBlank(text.peek())) {
                text.next();
            } else {
                return;
            }
        }
    }

    /** Parses fields up to the closing brace or the end, which is not consumed. */
    private void fields() {
        while (true) {
            separators();
            if (text.atEnd() || text.peek() == '}') {
                return;
            }
            field();
        }
    }

    private void separators() {
        text.skipFiller();
        while (text.peek() == ',') {
            text.next();
            text.skipFiller();
        }
    }

    private void field() {
        Origin where = text.origin();
        // the include pattern is matched only if a key starts with this word
        if (text.looksAt("include") && IncludeStatement.at(text)) {
            include(where);
            return;
        }
        KeyPath key = KeyPath.read(text);
        if (text.isJson() && scope().map().get(key.elements()) != null) {
            throw text.error("the key '" + String.join(".", key.elements()) + "' is given twice; remove one");
        }
        text.skipFiller();
        boolean append = text.looksAt("+=");
        if (append) {
            text.skip(2);
        } else if (text.peek() == '=' || text.peek() == ':') {
            text.next();
        }
        text.skipFiller();
        List<Piece> pieces = pieces(key.elements(), true);
        List<String> full = join(scope().path(), key.elements());
        if (append) {
            Node item = new Pieces(pieces, references, text).node();
            store(key.elements(), new Concatenation(full, selfThen(new ListNode(List.of(item), where)), where));
            return;
        }
        Pieces value = new Pieces(pieces, references, text);
        Optional<Concatenation> concatenation =
                scope().addressable() ? value.concatenation(full, where) : Optional.empty();
        if (concatenation.isPresent()) {
            store(key.elements(), concatenation.get());
        } else {
            put(key.elements(), value.node());
        }
    }

    private static List<Concatenation.Part> selfThen(Node item) {
        return List.of(
                new Concatenation.Part(Optional.empty(), List.of(), true, true), Concatenation.Part.literal(item));
    }

    private void put(List<String> key, Node value) {
        List<String> full = join(scope().path(), key);
        if (!(value instanceof MapNode) && !paths.isEmpty()) {
            Iterator<List<String>> below = paths.tailSet(full).iterator();
            for (boolean more = true; more && below.hasNext(); ) {
                List<String> path = below.next();
                more = startsWith(path, full);
                if (more) {
                    concatenations.remove(path);
                    below.remove();
                }
            }
        }
        scope().map().put(key, value);
    }

    /**
     * Resolves a concatenation immediately if this file contains the earlier value. Otherwise the composition resolves
     * it.
     */
    private void store(List<String> key, Concatenation concatenation) {
        Optional<Node> before = known(concatenation.path());
        boolean local = concatenation.parts().stream()
                .allMatch(part -> part.self() || part.node().isPresent());
        if (local && (before.isPresent() || !scope().addressable())) {
            resolver.resolve(concatenation, before, reference -> Optional.empty())
                    .ifPresent(node -> put(key, node));
            return;
        }
        concatenations.merge(concatenation.path(), concatenation, ConcatenationResolver::chain);
        paths.add(concatenation.path());
    }

    /** Returns the value at a full path, if an enclosing map contains it. */
    private Optional<Node> known(List<String> full) {
        for (Scope scope : scopes) {
            if (scope.addressable() && full.size() > scope.path().size()) {
                Node node = scope.map().get(full.subList(scope.path().size(), full.size()));
                if (node != null) {
                    return Optional.of(node);
                }
            }
        }
        return Optional.empty();
    }

    private void include(Origin where) {
        IncludeStatement statement = IncludeStatement.read(text);
        Optional<HoconDocument> document = includes.load(statement.name(), scope().path(), where);
        if (document.isEmpty()) {
            if (statement.required()) {
                throw text.error("included file '" + statement.name() + "' does not exist");
            }
            warnings.add(where.describe() + ": included file '" + statement.name() + "' does not exist");
            return;
        }
        document.get().root().entries().forEach((key, node) -> put(List.of(key), node));
        warnings.addAll(document.get().warnings());
        for (Concatenation concatenation : document.get().concatenations()) {
            store(
                    concatenation.path(),
                    new Concatenation(
                            join(scope().path(), concatenation.path()), concatenation.parts(), concatenation.origin()));
        }
    }

    private List<Piece> pieces(List<String> key, boolean addressable) {
        List<Piece> pieces = new ArrayList<>();
        while (true) {
            int start = text.position();
            text.skipBlanks();
            String blank = text.since(start);
            char c = text.peek();
            if (text.atEnd() || c == '\n' || c == ',' || c == '}' || c == ']' || text.atComment()) {
                return pieces;
            }
            if (!blank.isEmpty() && !pieces.isEmpty()) {
                pieces.add(new Piece.Text(blank, false, true, text.origin()));
            }
            pieces.add(piece(key, addressable));
        }
    }

    private Piece piece(List<String> key, boolean addressable) {
        Origin where = text.origin();
        if (text.peek() == '{') {
            return new Piece.Literal(map(key, addressable));
        }
        if (text.peek() == '[') {
            return new Piece.Literal(list());
        }
        if (text.looksAt("${")) {
            return KeyPath.reference(text);
        }
        if (text.peek() == '"') {
            return new Piece.Text(Quoted.read(text), true, false, where);
        }
        int start = text.position();
        while (!endsText()) {
            text.next();
        }
        if (text.position() == start) {
            throw text.error("unexpected '" + text.peek() + "'; quote the text");
        }
        return new Piece.Text(text.since(start), false, false, where);
    }

    private boolean endsText() {
        char c = text.peek();
        return text.atEnd()
                || "\n,}]{[\"".indexOf(c) >= 0
                || TextCursor.isBlank(c)
                || text.looksAt("${")
                || text.atComment();
    }

    private MapNode map(List<String> key, boolean addressable) {
        TreeBuilder map = new TreeBuilder(text.origin());
        text.next();
        boolean reachable = addressable && scope().addressable();
        scopes.push(new Scope(reachable ? join(scope().path(), key) : List.of(), map, reachable));
        fields();
        text.skip(1);
        scopes.pop();
        return map.build();
    }

    private ListNode list() {
        Origin where = text.origin();
        text.next();
        List<Node> items = new ArrayList<>();
        while (true) {
            separators();
            if (text.atEnd() || text.peek() == ']') {
                text.skip(1);
                return new ListNode(items, where);
            }
            items.add(new Pieces(pieces(List.of(), false), references, text).node());
        }
    }

    private Scope scope() {
        return scopes.getFirst();
    }

    private static List<String> join(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private static int order(List<String> first, List<String> second) {
        return Arrays.compare(first.toArray(new String[0]), second.toArray(new String[0]));
    }

    private static boolean startsWith(List<String> path, List<String> prefix) {
        return path.size() >= prefix.size() && path.subList(0, prefix.size()).equals(prefix);
    }

    /**
     * An {@code include} statement.
     *
     * @param name the file name
     * @param required true for {@code include required(...)}, which requires the file to exist
     */
    private record IncludeStatement(String name, boolean required) {
        private static final Pattern OPENING = Pattern.compile(
                "include\\s*((?<required>required)\\s*\\(\\s*)?((?<kind>file|url|classpath)\\s*\\(\\s*)?(?=\")");
        private static final Pattern CLOSING = Pattern.compile("[\\s)]*");

        /** True if the cursor is at an include statement instead of a key. */
        static boolean at(TextCursor text) {
            return text.match(OPENING).isPresent();
        }

        static IncludeStatement read(TextCursor text) {
            MatchResult match = text.match(OPENING).orElseThrow();
            boolean required = match.group(2) != null;
            String kind = match.group(4);
            if ("url".equals(kind) || "classpath".equals(kind)) {
                throw text.error(
                        "include " + kind + "(...) is not supported; include a file of the config directories");
            }
            text.skip(match.end() - match.start());
            String name = Quoted.read(text);
            // the pattern may match line ends after the statement; only the closing parentheses matter
            text.match(CLOSING).ifPresent(close -> text.skip(close.end() - close.start()));
            return new IncludeStatement(name, required);
        }
    }

    /**
     * A dotted key as written.
     *
     * @param elements the names between the dots
     */
    private record KeyPath(List<String> elements) {
        KeyPath {
            elements = List.copyOf(elements);
        }

        /** Parses the key at the cursor. The cursor moves past the key and the following blanks. */
        static KeyPath read(TextCursor text) {
            return read(text, ":={+\n,}[]#");
        }

        /** Parses a substitution. The cursor is at its dollar sign. */
        static Piece.Reference reference(TextCursor text) {
            Origin where = text.origin();
            text.skip(2);
            boolean optional = text.peek() == '?';
            if (optional) {
                text.next();
            }
            int start = text.position();
            KeyPath path = read(text, "}\n");
            HoconSyntax.checkReference(text.since(start), text);
            text.skip(1);
            return new Piece.Reference(path.elements(), optional, where);
        }

        private static KeyPath read(TextCursor text, String ends) {
            List<String> elements = new ArrayList<>();
            StringBuilder element = new StringBuilder();
            boolean elementQuoted = false;
            text.skipBlanks();
            while (!text.atEnd()) {
                char c = text.peek();
                if (c == '"') {
                    element.append(Quoted.read(text));
                    elementQuoted = true;
                } else if (c == '.') {
                    text.next();
                    elements.add(
                            elementQuoted
                                    ? element.toString()
                                    : element.toString().strip());
                    element.setLength(0);
                    elementQuoted = false;
                } else if (ends.indexOf(c) >= 0) {
                    break;
                } else if (elementQuoted && TextCursor.isBlank(c)) {
                    // blanks after a quoted name belong to the name only if more text follows
                    int start = text.position();
                    text.skipBlanks();
                    if (text.atEnd() || ends.indexOf(text.peek()) >= 0) {
                        break;
                    }
                    element.append(text.since(start));
                } else {
                    element.append(text.next());
                }
            }
            elements.add(elementQuoted ? element.toString() : element.toString().strip());
            return new KeyPath(elements);
        }
    }
}
