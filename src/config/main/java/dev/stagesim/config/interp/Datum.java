package dev.stagesim.config.interp;

import dev.stagesim.config.tree.Allowance;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.List;

/** The value of an expression: the type of resolver arguments and results. */
public sealed interface Datum {
    /** Null, boolean, number or string. A string is not interpolated again. */
    record Atom(ScalarNode scalar) implements Datum {}

    /**
     * A list that is the result of an expression.
     *
     * @param origin origin of the list that the expression refers to; unknown for a list that it creates
     */
    record Sequence(List<Datum> items, Origin origin) implements Datum {
        public Sequence {
            items = List.copyOf(items);
        }

        Sequence(List<Datum> items) {
            this(items, Origin.UNKNOWN);
        }
    }

    /** A map that is the result of an expression. Keys keep the type of their notation. */
    record Table(List<Entry> entries) implements Datum {
        public Table {
            entries = List.copyOf(entries);
        }
    }

    /** One entry of a {@link Table}. */
    record Entry(ScalarNode key, Datum value) {}

    /** A map or list of the configuration. Its interpolations are evaluated on access. */
    record Section(Cell cell) implements Datum {
        /** Returns the section as written, with unresolved interpolations. */
        public Node raw() {
            return cell.raw();
        }
    }

    static Datum of(String text) {
        return new Atom(ScalarNode.of(text, Origin.UNKNOWN));
    }

    static Datum of(long number) {
        return new Atom(ScalarNode.of(number, Origin.UNKNOWN));
    }

    static Datum ofNull() {
        return new Atom(ScalarNode.ofNull(Origin.UNKNOWN));
    }

    static Datum ofStrings(List<String> items) {
        return new Sequence(items.stream().map(Datum::of).toList());
    }

    /** Returns a plain value. Its strings are not interpolated. */
    static Datum of(Node node) {
        if (node instanceof ScalarNode scalar) {
            return new Atom(scalar);
        }
        if (node instanceof ListNode list) {
            return new Sequence(list.items().stream().map(Datum::of).toList(), list.origin());
        }
        List<Entry> entries = new ArrayList<>();
        ((MapNode) node)
                .entries()
                .forEach((key, value) -> entries.add(new Entry(ScalarNode.of(key, Origin.UNKNOWN), of(value))));
        return new Table(entries);
    }

    default boolean isNull() {
        return this instanceof Atom atom && atom.scalar().isNull();
    }

    default boolean isString() {
        return this instanceof Atom atom && atom.scalar().kind() == ScalarNode.Kind.STRING;
    }

    /** Returns the size for an {@link Allowance}. A value that occurs twice counts twice. */
    default long weight() {
        if (this instanceof Atom atom) {
            return Allowance.weight(atom.scalar());
        }
        List<Datum> parts = this instanceof Sequence list
                ? list.items()
                : this instanceof Table table
                        ? table.entries().stream().map(Entry::value).toList()
                        : List.of();
        long sum = Allowance.ITEM;
        for (Datum part : parts) {
            sum += sum > Allowance.MAX_VALUE ? 0 : part.weight();
        }
        return sum;
    }
}
