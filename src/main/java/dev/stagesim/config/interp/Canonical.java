package dev.stagesim.config.interp;

import java.util.Comparator;

/** Brings values into an order that does not depend on how they were written. */
final class Canonical {
    private Canonical() {}

    /** Sorts the keys of every map in a plain value. */
    static Datum sorted(Datum value) {
        if (value instanceof Datum.Sequence list) {
            return new Datum.Sequence(
                    list.items().stream().map(Canonical::sorted).toList());
        }
        if (value instanceof Datum.Table table) {
            return new Datum.Table(table.entries().stream()
                    .map(entry -> new Datum.Entry(entry.key(), sorted(entry.value())))
                    .sorted(Comparator.comparing(entry -> entry.key().text()))
                    .toList());
        }
        return value;
    }
}
