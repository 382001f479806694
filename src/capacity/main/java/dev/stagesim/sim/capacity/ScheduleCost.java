package dev.stagesim.sim.capacity;

import java.util.List;

/** The cost of a schedule on nodes of one kind: nodes of each phase, money, energy and carbon. */
public final class ScheduleCost {
    private static final double MINUTES_PER_HOUR = 60;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final double WATTS_PER_KILOWATT = 1e3;

    private ScheduleCost() {}

    /**
     * The demand of a phase.
     *
     * @param demand demand per second, in the unit of {@link Node#capacity}
     * @param tokens tokens per unit of demand
     */
    public record Demand(double minutes, double demand, double tokens) {}

    /**
     * A node.
     *
     * @param capacity demand that it serves per second
     * @param usdPerHour price
     * @param watts power under full load
     * @param idleFraction share of this power that it draws when idle
     * @param pue power usage effectiveness of the data centre
     * @param usdPerKwh additional price of electricity; 0 if the price includes it
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
     * The rule by which the number of nodes follows the demand.
     *
     * @param load target share of a node's capacity
     * @param group nodes that are added together, if a copy of the model spans several
     * @param follows true if each phase has the nodes that it needs; false if all phases have the nodes of the busiest
     *     phase
     */
    public record Scaling(double load, int min, int max, int group, boolean follows) {}

    /**
     * The result of a phase.
     *
     * @param hours duration
     * @param load demand as a share of the nodes' capacity; above 1 if there are too few nodes
     */
    public record Phase(double hours, int nodes, double load, double usd, double kwh, double kg, double tokens) {
        /** Returns the used share of the nodes' capacity. */
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

        /** Returns the used share of the capacity of all node hours. */
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

    /** Returns the cost of a schedule. */
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

    /** Returns the minimum number of nodes that serve a phase at the target load, within the limits. */
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
