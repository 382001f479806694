package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Syntax;
import dev.stagesim.config.grammar.ValueParser;
import dev.stagesim.config.interp.InterpolationException.Kind;
import dev.stagesim.config.tree.Allowance;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Suggest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the interpolations of a configuration tree on demand. Each node is a {@link Cell}, which caches its value.
 * The active cells are tracked to detect cycles.
 */
final class Evaluation {
    private static final Pattern INDEX = Pattern.compile("\\s*[+-]?[0-9]+(_[0-9]+)*\\s*");

    private static final int MAX_CHAIN = 300;
    /** Maximum number of errors with suggestions. The search for similar names visits all keys. */
    private static final int MAX_SUGGESTION_SEARCHES = 20;

    private final Resolvers resolvers;
    private final Dialect dialect;
    private final Semantics semantics;
    private final Allowance allowance = new Allowance();
    private final Set<Cell> active = new LinkedHashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private int searches;

    Evaluation(Resolvers resolvers, Dialect dialect) {
        this.resolvers = resolvers;
        this.dialect = dialect;
        this.semantics = Semantics.of(dialect);
    }

    Semantics semantics() {
        return semantics;
    }

    List<String> warnings() {
        return List.copyOf(warnings);
    }

    void warn(String message) {
        warnings.add(message);
    }

    private void charge(long added, long whole) {
        allowance.charge(added, whole).ifPresent(what -> {
            throw InterpolationException.failed(what);
        });
    }

    /** True if the size limit is exceeded, so that no value can be created. */
    boolean isExhausted() {
        return allowance.isExhausted();
    }

    /** Returns the value of a cell: a section for containers, the result of an interpolation, or the scalar itself. */
    Datum value(Cell cell) {
        if (!(cell.raw() instanceof ScalarNode scalar)) {
            return new Datum.Section(cell);
        }
        if (!scalar.isInterpolation()) {
            return new Datum.Atom(scalar);
        }
        Datum known = cell.value();
        if (known != null) {
            return known;
        }
        InterpolationException failed = cell.failure();
        if (failed != null) {
            throw failed;
        }
        enter(cell);
        try {
            Datum value = template(scalar.text(), cell);
            cell.remember(value);
            return value;
        } catch (InterpolationException e) {
            cell.remember(e.at(cell));
            throw e;
        } finally {
            active.remove(cell);
        }
    }

    private void enter(Cell cell) {
        if (!active.add(cell)) {
            throw cycle(cell);
        }
        if (active.size() > MAX_CHAIN) {
            active.remove(cell);
            throw InterpolationException.failed("more than " + MAX_CHAIN + " values form a chain of references");
        }
    }

    private InterpolationException cycle(Cell cell) {
        List<String> chain = new ArrayList<>();
        boolean inside = false;
        for (Cell each : active) {
            inside |= each == cell;
            if (inside) {
                chain.add(each.path());
            }
        }
        chain.add(cell.path());
        return InterpolationException.failed("the value depends on itself: " + String.join(" -> ", chain));
    }

    Datum template(String text, Cell at) {
        return evaluate(ValueParser.template(text, dialect, InterpolationException.in(text)), at);
    }

    Datum decode(String text, Cell at) {
        return evaluate(ValueParser.argument(text, dialect, InterpolationException.in(text)), at);
    }

    private Datum evaluate(Syntax.Template template, Cell at) {
        List<Syntax.Piece> pieces = template.pieces();
        if (!template.isQuoted() && pieces.size() == 1) {
            return piece(pieces.get(0), at);
        }
        StringBuilder out = new StringBuilder();
        for (Syntax.Piece piece : pieces) {
            append(out, text(piece(piece, at)));
        }
        return Datum.of(out.toString());
    }

    private void append(StringBuilder out, String text) {
        charge(text.length(), out.length() + text.length());
        out.append(text);
    }

    private Datum piece(Syntax.Piece piece, Cell at) {
        if (piece instanceof Syntax.Text literal) {
            return Datum.of(literal.text());
        }
        try {
            return piece instanceof Syntax.Reference reference
                    ? reference(reference, at)
                    : call((Syntax.Resolver) piece, at);
        } catch (InterpolationException e) {
            throw e.asReferenceFailure();
        }
    }

    private Datum evaluate(Syntax written, Cell at) {
        if (written instanceof Syntax.Leaf leaf) {
            return new Datum.Atom(MapBuilder.scalar(leaf.value()));
        }
        if (written instanceof Syntax.Items items) {
            return counted(new Datum.Sequence(
                    items.items().stream().map(item -> evaluate(item, at)).toList()));
        }
        return written instanceof Syntax.Pairs pairs
                ? counted(MapBuilder.of(pairs, dialect, value -> evaluate(value, at)))
                : evaluate((Syntax.Template) written, at);
    }

    private Datum counted(Datum value) {
        long weight = value.weight();
        charge(weight, weight);
        return value;
    }

    private Datum call(Syntax.Resolver call, Cell at) {
        String name = joined(call.name(), at, "resolver");
        List<Datum> arguments = call.arguments().stream()
                .map(argument -> counted(evaluate(argument, at)))
                .toList();
        return resolvers.get(name).call(arguments, new ResolverCall(this, at));
    }

    private Datum reference(Syntax.Reference reference, Cell at) {
        String key = joined(reference.path(), at, "key");
        Cell container = at.parent() == null ? at : at.parent();
        Cell start = start(container, key);
        if (start == null) {
            throw InterpolationException.of(Kind.KEY, "'" + key + "' leads above the root");
        }
        Datum value = value(existing(start, relative(key)));
        if (value instanceof Datum.Section section) {
            for (Cell above = container; above != null; above = above.parent()) {
                if (above == section.cell()) {
                    throw InterpolationException.failed("'" + key + "' is a section that contains this value");
                }
            }
        }
        return value;
    }

    private Cell existing(Cell start, String path) {
        try {
            Cell target = target(start, path, true);
            if (target == null) {
                throw InterpolationException.of(Kind.KEY, "key '" + path + "' not found", near(start, path));
            }
            return target;
        } catch (NotAContainer e) {
            throw InterpolationException.failed(e.what);
        }
    }

    /** Concatenates the parts of a key or name. */
    private String joined(List<Syntax.Piece> pieces, Cell at, String what) {
        StringBuilder out = new StringBuilder();
        for (Syntax.Piece piece : pieces) {
            Datum value = piece(piece, at);
            if (!semantics.isKey(value)) {
                throw InterpolationException.failed("a part of a " + what + " must be text, got " + text(value));
            }
            append(out, text(value));
        }
        return out.toString();
    }

    /**
     * Returns the section in which a key starts: the root, or a parent section, one level up per leading dot after the
     * first. Returns null above the root.
     */
    private static @Nullable Cell start(Cell container, String key) {
        if (!key.startsWith(".")) {
            return container.root();
        }
        Cell start = container;
        for (int i = 1; i < key.length() && key.charAt(i) == '.'; i++) {
            start = start.parent();
            if (start == null) {
                return null;
            }
        }
        return start;
    }

    private static String relative(String key) {
        int dots = 0;
        while (dots < key.length() && key.charAt(dots) == '.') {
            dots++;
        }
        return key.substring(dots);
    }

    /**
     * Follows a path. Returns null if a key does not exist.
     *
     * @param isRequired true if it is an error that the value is still {@code ???}
     */
    private @Nullable Cell target(Cell start, String path, boolean isRequired) {
        if (path.isEmpty()) {
            return start;
        }
        List<String> keys = KeyPaths.split(path);
        Cell cell = start;
        for (int i = 0; i < keys.size(); i++) {
            Cell child = child(cell, keys.get(i), isRequired);
            if (child == null || i == keys.size() - 1) {
                return child;
            }
            if (!(value(child) instanceof Datum.Section section)) {
                throw new NotAContainer(
                        "'" + child.path() + "' is not a section, so it has no '" + keys.get(i + 1) + "'");
            }
            cell = section.cell();
        }
        return cell;
    }

    private @Nullable Cell child(Cell cell, String key, boolean isRequired) {
        if (cell.raw() instanceof ListNode && !INDEX.matcher(key).matches()) {
            throw InterpolationException.failed("'" + cell.path() + "' is a list, and '" + key + "' is not an index");
        }
        String name =
                cell.raw() instanceof ListNode list ? index(key, list.items().size()) : key;
        Cell child = cell.children().get(name);
        if (child != null && isRequired && child.isMissing()) {
            throw InterpolationException.of(Kind.MISSING, "'" + child.path() + "' is mandatory and was not given");
        }
        return child;
    }

    private String index(String key, int size) {
        BigInteger index = new BigInteger(key.strip().replace("_", ""));
        boolean fromEnd = index.signum() < 0 && semantics.countsFromEnd();
        return (fromEnd ? index.add(BigInteger.valueOf(size)) : index).toString();
    }

    private List<String> near(Cell start, String path) {
        if (++searches > MAX_SUGGESTION_SEARCHES) {
            return List.of();
        }
        List<String> keys = KeyPaths.split(path);
        Cell cell = start;
        String prefix = "";
        for (String key : keys) {
            Cell child = cell.children().get(key);
            if (child == null) {
                String found = prefix;
                return Suggest.near(key, cell.children().keySet()).stream()
                        .map(name -> found + name)
                        .toList();
            }
            prefix = child.path() + ".";
            cell = child;
        }
        return List.of();
    }

    /**
     * Finds a key for a resolver. Returns empty if the key does not exist or the path leads through a value without
     * keys.
     */
    Optional<Datum> find(Cell container, String key, boolean isRequired) {
        Cell start = start(container, key);
        if (start == null) {
            if (semantics.hasLenientLookup()) {
                return Optional.empty();
            }
            throw InterpolationException.failed("'" + key + "' leads above the root");
        }
        try {
            return Optional.ofNullable(target(start, relative(key), isRequired)).map(this::value);
        } catch (NotAContainer e) {
            return Optional.empty();
        } catch (InterpolationException e) {
            boolean direct = e.kind() == Kind.MISSING && e.cell() == null;
            throw direct && !semantics.hasLenientLookup() ? InterpolationException.failed(e.getMessage()) : e;
        }
    }

    /** Throws if an expression in the tree does not parse and the dialect checks all expressions. */
    void checkSyntax(Node node) {
        if (semantics.checksUnusedExpressions()) {
            parse(node);
        }
    }

    private void parse(Node node) {
        if (node instanceof ScalarNode scalar && scalar.isInterpolation()) {
            ValueParser.template(scalar.text(), dialect, InterpolationException.in(scalar.text()));
        } else if (node instanceof ListNode list) {
            list.items().forEach(this::parse);
        } else if (node instanceof MapNode map) {
            map.entries().values().forEach(this::parse);
        }
    }

    /** Returns a section with the same parent as the value being evaluated. */
    Datum section(Node raw, Cell container, String key) {
        checkSyntax(raw);
        long weight = Allowance.weight(raw);
        charge(weight, weight);
        return value(new Cell(raw, container, key));
    }

    String absolute(Cell container, String key) {
        Cell start = start(container, key);
        String above = start == null ? "" : start.path();
        String path = relative(key);
        return above.isEmpty() ? path : above + "." + path;
    }

    String text(Datum value) {
        return semantics.text(value, this);
    }

    /** Returns the value with all its sections evaluated. */
    Datum plain(Datum value) {
        if (value instanceof Datum.Sequence list) {
            charge((long) Allowance.ITEM * list.items().size(), 0);
            return new Datum.Sequence(list.items().stream().map(this::plain).toList(), list.origin());
        }
        if (value instanceof Datum.Table table) {
            charge((long) Allowance.ITEM * table.entries().size(), 0);
            return new Datum.Table(table.entries().stream()
                    .map(entry -> new Datum.Entry(entry.key(), plain(entry.value())))
                    .toList());
        }
        return value instanceof Datum.Section section ? readOut(section.cell()) : value;
    }

    private Datum readOut(Cell cell) {
        enter(cell);
        try {
            charge((long) Allowance.ITEM * cell.children().size(), 0);
            List<Datum.Entry> entries = new ArrayList<>();
            for (Map.Entry<String, Cell> child : cell.children().entrySet()) {
                ScalarNode key = ScalarNode.of(child.getKey(), cell.raw().origin());
                entries.add(new Datum.Entry(key, plain(value(child.getValue()))));
            }
            return cell.raw() instanceof ListNode
                    ? new Datum.Sequence(
                            entries.stream().map(Datum.Entry::value).toList(),
                            cell.raw().origin())
                    : new Datum.Table(entries);
        } finally {
            active.remove(cell);
        }
    }

    /** Thrown when a path leads through a value without keys. */
    private static final class NotAContainer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String what;

        NotAContainer(String what) {
            super(what);
            this.what = what;
        }
    }
}
