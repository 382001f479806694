package dev.stagesim.config.interp;

import dev.stagesim.config.tree.Allowance;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.List;

/** The value of an expression: what resolvers are given and give back. */
public sealed interface Datum {
    /** Null, boolean, number or string; strings are final, whatever they contain. */
    record Atom(ScalarNode scalar) implements Datum {}

    /** A list that an expression made. */
    record Sequence(List<Datum> items) implements Datum {
        public Sequence {
            items = List.copyOf(items);
        }
    }

    /** A map that an expression made; keys keep the type they were written with. */
    record Table(List<Entry> entries) implements Datum {
        public Table {
            entries = List.copyOf(entries);
        }
    }

    /** One entry of a {@link Table}. */
    record Entry(ScalarNode key, Datum value) {}

    /** A map or list of the configuration; interpolations in it are evaluated when it is read. */
    record Section(Cell cell) implements Datum {
        /** The section as written, interpolations unresolved. */
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

    /** A plain value; strings in it are final. */
    static Datum of(Node node) {
        if (node instanceof ScalarNode scalar) {
            return new Atom(scalar);
        }
        if (node instanceof ListNode list) {
            return new Sequence(list.items().stream().map(Datum::of).toList());
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

    /** What it counts for an {@link Allowance}; a value that is in it twice counts twice. */
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
            sum += sum > Allowance.ONE ? 0 : part.weight();
        }
        return sum;
    }
}
