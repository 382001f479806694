package dev.stagesim.stage.astrasim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.sim.collective.CollectiveKind;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How fast collectives were: algorithm bandwidth, size over time, and bus bandwidth, what each NPU must send at least over
 * time, as the NCCL tests define them.
 *
 * <p>The size of an all-gather is that of its result. Times are from the start of the collective on an NPU to its end
 * there; an NPU that is simulated for others counts as often as it stands for one.
 */
final class CollectiveRates {
    private final TreeMap<Key, Sum> sums = new TreeMap<>();

    /** Collectives of one kind among so many NPUs. */
    private record Key(CollectiveKind kind, int members) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byKind = kind.compareTo(other.kind);
            return byKind != 0 ? byKind : Integer.compare(members, other.members);
        }

        /** Bytes that an NPU must send at least for each byte of the collective's size. */
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

    /** The same collective on so many NPUs, which took each of them the same time. */
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

    /** True if some collective adds values up. */
    boolean reduces() {
        return sums.keySet().stream()
                .anyMatch(
                        key -> key.kind() == CollectiveKind.ALL_REDUCE || key.kind() == CollectiveKind.REDUCE_SCATTER);
    }

    /** Bytes over time of all collectives, in GB/s. */
    double algorithmBandwidth() {
        return total(false);
    }

    /** What NPUs must send at least over time, of all collectives, in GB/s. */
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

    /** A row for each kind and number of NPUs. */
    DataTable table() {
        double longest = sums.values().stream()
                .mapToDouble(sum -> sum.ns / sum.count)
                .max()
                .orElse(0);
        TimeScale scale = TimeScale.fit(longest);
        DataTable table = new DataTable("How fast collectives are, mean of the NPUs")
                .columns("Collective", "#NPUs")
                .number("Bytes", "Size of the collective; of an all-gather, that of its result")
                .number("Time (" + scale.unit() + ")")
                .number("Algorithm bandwidth (GB/s)", "Bytes over time")
                .number("Bus bandwidth (GB/s)", "What each NPU must send at least, over time");
        sums.forEach((key, sum) -> {
            double rate = sum.ns == 0 ? 0 : sum.bytes / sum.ns;
            table.row(
                    key.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    Numbers.count(key.members()),
                    Numbers.count(Math.round(sum.bytes / sum.count)),
                    scale.text(sum.ns / sum.count),
                    Numbers.significant(rate, 4),
                    Numbers.significant(rate * key.factor(), 4));
        });
        return table;
    }
}
