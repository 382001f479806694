package dev.stagesim.sim.capacity;

import java.util.List;

/** What a schedule costs on nodes of one kind: nodes of each phase, money, energy and carbon. */
public final class ScheduleCost {
    private static final double MINUTES_PER_HOUR = 60;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final double WATTS_PER_KILOWATT = 1e3;

    private ScheduleCost() {}

    /**
     * A phase's demand.
     *
     * @param demand what is asked for per second, in the unit of {@link Node#capacity}
     * @param tokens tokens that one unit of demand stands for
     */
    public record Demand(double minutes, double demand, double tokens) {}

    /**
     * A node.
     *
     * @param capacity what it carries per second
     * @param usdPerHour its price
     * @param watts its power under full load
     * @param idleFraction share of it drawn when idle
     * @param pue power of the data centre over that of its machines
     * @param usdPerKwh what electricity costs on top; 0 when the price includes it
     * @param kgPerKwh carbon dioxide of a kWh
     */
    public record Node(
            double capacity,
            double usdPerHour,
            double watts,
            double idleFraction,
            double pue,
            double usdPerKwh,
            double kgPerKwh) {}

    /**
     * How nodes follow demand.
     *
     * @param load share of its capacity that a node is to carry
     * @param group nodes that come together, where a copy of the model spans several
     * @param follows whether phases have as many as they need; else all have what the busiest needs
     */
    public record Scaling(double load, int min, int max, int group, boolean follows) {}

    /**
     * What came of a phase.
     *
     * @param hours how long it lasts
     * @param load share of the nodes' capacity that is asked for, above 1 when they are too few
     */
    public record Phase(double hours, int nodes, double load, double usd, double kwh, double kg, double tokens) {
        /** Share of the nodes' capacity that is used. */
        public double utilization() {
            return Math.min(1, load);
        }
    }

    /** All phases and their sums. */
    public record Total(List<Phase> phases, double hours, double usd, double kwh, double kg, double tokens) {
        public Total {
            phases = List.copyOf(phases);
        }

        public double usdPerMillionTokens() {
            return usd / tokens * 1e6;
        }

        public double meanKilowatts() {
            return kwh / hours;
        }

        public int mostNodes() {
            return phases.stream().mapToInt(Phase::nodes).max().orElse(0);
        }

        /** Share of all node hours' capacity that is used. */
        public double nodeHoursUtilization() {
            double carried = 0;
            double there = 0;
            for (Phase phase : phases) {
                carried += phase.utilization() * phase.nodes() * phase.hours();
                there += phase.nodes() * phase.hours();
            }
            return carried / there;
        }
    }

    /** Prices a schedule. */
    public static Total of(List<Demand> phases, Node node, Scaling scaling) {
        int busiest = phases.stream()
                .mapToInt(phase -> nodes(phase, node, scaling))
                .max()
                .orElse(scaling.min());
        List<Phase> priced = phases.stream()
                .map(phase -> priced(phase, node, scaling.follows() ? nodes(phase, node, scaling) : busiest))
                .toList();
        return new Total(
                priced,
                phases.stream().mapToDouble(Demand::minutes).sum() / MINUTES_PER_HOUR,
                priced.stream().mapToDouble(Phase::usd).sum(),
                priced.stream().mapToDouble(Phase::kwh).sum(),
                priced.stream().mapToDouble(Phase::kg).sum(),
                priced.stream().mapToDouble(Phase::tokens).sum());
    }

    /** The fewest nodes that carry a phase at the wanted load, within the bounds. */
    static int nodes(Demand phase, Node node, Scaling scaling) {
        double needed = Math.ceil(phase.demand() / (node.capacity() * scaling.load()) - 1e-9);
        double grouped = Math.ceil(needed / scaling.group()) * scaling.group();
        return (int) Math.max(scaling.min(), Math.min(scaling.max(), grouped));
    }

    private static Phase priced(Demand phase, Node node, int nodes) {
        double hours = phase.minutes() / MINUTES_PER_HOUR;
        double load = phase.demand() / (nodes * node.capacity());
        double busy = Math.min(1, load);
        double watts = node.watts() * (node.idleFraction() + (1 - node.idleFraction()) * busy);
        double kwh = nodes * watts * node.pue() / WATTS_PER_KILOWATT * hours;
        double carried = Math.min(phase.demand(), nodes * node.capacity());
        return new Phase(
                hours,
                nodes,
                load,
                nodes * node.usdPerHour() * hours + kwh * node.usdPerKwh(),
                kwh,
                kwh * node.kgPerKwh(),
                carried * phase.tokens() * phase.minutes() * SECONDS_PER_MINUTE);
    }
}
