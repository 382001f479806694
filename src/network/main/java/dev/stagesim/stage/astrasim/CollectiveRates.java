package dev.stagesim.stage.astrasim;

import dev.stagesim.model.KeyNames;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rates of collectives: algorithm bandwidth (size over time) and bus bandwidth (minimum bytes that an NPU must send,
 * over time), as defined by the NCCL tests.
 *
 * <p>The size of an all-gather is the size of its result. Times are measured on each NPU; a representative counts with
 * the number of NPUs it represents.
 */
final class CollectiveRates {
    private final TreeMap<Key, Sum> sums = new TreeMap<>();

    /** Collectives of one kind with {@code members} NPUs. */
    private record Key(CollectiveKind kind, int members) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byKind = kind.compareTo(other.kind);
            return byKind != 0 ? byKind : Integer.compare(members, other.members);
        }

        /** Minimum bytes that an NPU must send per byte of the collective's size. */
        double factor() {
            double others = (double) (members - 1) / members;
            return kind == CollectiveKind.ALL_REDUCE ? 2 * others : others;
        }
    }

    private static final class Sum {
        private long count;
        private double bytes;
        private double ns;
    }

    /** Adds a collective on {@code npus} NPUs with equal times. */
    void add(CollectiveKind kind, int members, long bytes, long ns, int npus) {
        Sum sum = sums.computeIfAbsent(new Key(kind, members), unused -> new Sum());
        sum.count += npus;
        sum.bytes += (kind == CollectiveKind.ALL_GATHER ? (double) bytes * members : bytes) * npus;
        sum.ns += (double) ns * npus;
    }

    void clear() {
        sums.clear();
    }

    boolean isEmpty() {
        return sums.values().stream().allMatch(sum -> sum.ns == 0);
    }

    /** True if a collective reduces values. */
    boolean reduces() {
        return sums.keySet().stream()
                .anyMatch(
                        key -> key.kind() == CollectiveKind.ALL_REDUCE || key.kind() == CollectiveKind.REDUCE_SCATTER);
    }

    /** Algorithm bandwidth of all collectives in GB/s. */
    double algorithmBandwidth() {
        return total(false);
    }

    /** Bus bandwidth of all collectives in GB/s. */
    double busBandwidth() {
        return total(true);
    }

    private double total(boolean isBus) {
        double bytes = 0;
        double ns = 0;
        for (Map.Entry<Key, Sum> entry : sums.entrySet()) {
            bytes += entry.getValue().bytes * (isBus ? entry.getKey().factor() : 1);
            ns += entry.getValue().ns;
        }
        return ns == 0 ? 0 : bytes / ns;
    }

    /** A row per kind and number of NPUs. */
    DataTable table() {
        double longest = sums.values().stream()
                .mapToDouble(sum -> sum.ns / sum.count)
                .max()
                .orElse(0);
        TimeScale scale = TimeScale.fit(longest);
        DataTable table = new DataTable("How fast collectives are, mean of the NPUs")
                .columns("Collective", "#NPUs")
                .number("Bytes", "Size of the collective; for an all-gather, the size of its result")
                .number("Time (" + scale.unit() + ")")
                .number("Algorithm bandwidth (GB/s)", "Bytes over time")
                .number("Bus bandwidth (GB/s)", "Minimum bytes that each NPU must send, over time");
        sums.forEach((key, sum) -> {
            double rate = sum.ns == 0 ? 0 : sum.bytes / sum.ns;
            table.row(
                    KeyNames.constant(key.kind()).replace('_', '-'),
                    Numbers.count(key.members()),
                    Numbers.count(Math.round(sum.bytes / sum.count)),
                    scale.text(sum.ns / sum.count),
                    Numbers.significant(rate, 4),
                    Numbers.significant(rate * key.factor(), 4));
        });
        return table;
    }
}
