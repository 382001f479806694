package dev.stagesim.io.measured.operations;

import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.ToolUnits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Sums the times of the calls of each operator of a profile. */
final class OperatorSums {
    /** Device, category and name of an operator. */
    record Key(String device, String category, String name) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::device).thenComparing(Key::category).thenComparing(Key::name);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private static final class Sum {
        private long count;
        private double total;
        private double min = Double.POSITIVE_INFINITY;
        private double max;
    }

    private final Map<Key, Sum> sums = new TreeMap<>();

    void add(Key key, double ns) {
        Sum sum = sums.computeIfAbsent(key, operator -> new Sum());
        sum.count++;
        sum.total += ns;
        sum.min = Math.min(sum.min, ns);
        sum.max = Math.max(sum.max, ns);
    }

    boolean isEmpty() {
        return sums.isEmpty();
    }

    /** Returns the operators in descending order of time; calls and times are means over {@code ranks}. */
    List<Operator> rows(int ranks) {
        List<Operator> rows = new ArrayList<>();
        sums.forEach((key, sum) -> rows.add(new Operator(
                key.device(),
                key.category(),
                key.name(),
                Math.round((double) sum.count / ranks),
                ToolUnits.round(sum.total / ranks),
                ToolUnits.round(sum.min),
                ToolUnits.round(sum.max))));
        rows.sort(Comparator.comparingLong(Operator::totalNs).reversed().thenComparing(Operator::name));
        return rows;
    }
}
