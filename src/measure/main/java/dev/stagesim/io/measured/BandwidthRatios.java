package dev.stagesim.io.measured;

import dev.stagesim.io.measured.Operations.Collective;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** Names of collectives in different tools, and the ratios of bus bandwidth to algorithm bandwidth. */
public final class BandwidthRatios {
    public static final String UNKNOWN = "unknown";

    private static final Map<String, String> NAMES = Map.of(
            "allreduce", "all_reduce",
            "allgather", "all_gather",
            "reducescatter", "reduce_scatter",
            "alltoall", "all_to_all",
            "alltoallv", "all_to_all",
            "sendrecv", "send_recv");

    /** Printed bandwidths have two decimals. */
    private static final double PRINTED = 0.005;

    private static final double TOLERANCE = 0.01;

    private BandwidthRatios() {}

    /**
     * Returns the product's name of a collective. {@code AllReduce}, {@code all_reduce} and {@code allreduce} are
     * equal.
     */
    public static String named(String theirs) {
        String plain = theirs.toLowerCase(Locale.ROOT);
        return NAMES.getOrDefault(plain.replace("_", ""), plain);
    }

    /** Returns bus bandwidth over algorithm bandwidth, or empty if the collective has no defined ratio. */
    public static OptionalDouble busFactor(String collective, int ranks) {
        return switch (collective) {
            case "all_reduce" -> OptionalDouble.of(2.0 * (ranks - 1) / ranks);
            case "all_gather", "reduce_scatter", "all_to_all", "gather", "scatter" ->
                OptionalDouble.of((ranks - 1.0) / ranks);
            case "broadcast", "reduce", "send_recv" -> OptionalDouble.of(1);
            default -> OptionalDouble.empty();
        };
    }

    /** True if the two bandwidths have the ratio of the collective, within the rounding of printed values. */
    static boolean fits(Collective row, String collective) {
        OptionalDouble factor = busFactor(collective, row.ranks());
        return factor.isEmpty() || hasRatio(row, factor.getAsDouble());
    }

    /**
     * True if the two bandwidths have the ratio of any collective. The ratio of an unknown collective is not checked.
     */
    static boolean hasKnownRatio(Collective row) {
        double gather = (row.ranks() - 1.0) / row.ranks();
        return DoubleStream.of(gather, 1, 2 * gather).anyMatch(factor -> hasRatio(row, factor));
    }

    private static boolean hasRatio(Collective row, double factor) {
        double expected = factor * row.algorithmGbs();
        return Math.abs(row.busGbs() - expected)
                <= PRINTED * (1 + factor) + TOLERANCE * Math.max(expected, row.busGbs());
    }

    /**
     * Returns the collectives that match the reduction, the root and the bandwidth ratio of the rows.
     *
     * @param reduces true if the rows name a reduction
     * @param rooted true if the rows name a root
     */
    public static List<String> candidates(List<Collective> rows, boolean reduces, boolean rooted) {
        List<String> kinds = reduces
                ? (rooted ? List.of("reduce") : List.of("all_reduce", "reduce_scatter", "send_recv"))
                : (rooted ? List.of("broadcast", "gather", "scatter") : List.of("all_gather", "all_to_all"));
        return kinds.stream()
                .filter(kind -> rows.stream().allMatch(row -> fits(row, kind)))
                .toList();
    }
}
