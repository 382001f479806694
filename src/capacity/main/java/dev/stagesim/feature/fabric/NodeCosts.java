package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.GridSettings;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.sim.capacity.MonteCarloRanges;
import dev.stagesim.sim.capacity.ScheduleCost;
import java.util.Optional;

/** Price and power of the nodes of a target, from its settings or the card of its accelerator. */
record NodeCosts(TargetSettings target, GridSettings grid) {
    /**
     * Node power divided by the power of its accelerators; includes fans, processors, network and conversion losses.
     */
    private static final double REST_OF_NODE = 1.25;

    private static final double DEFAULT_ACCELERATOR_WATTS = 700;
    private static final double GRAMS_PER_KILOGRAM = 1e3;
    private static final double UNKNOWN_LOW = 0.6;
    private static final double UNKNOWN_HIGH = 1.6;

    /** True if the settings or the card have a price. */
    static boolean hasPrice(TargetSettings target) {
        return target.cost().hourlyUsd().isPresent()
                || target.device().costs().priceUsdHrTyp().isPresent();
    }

    /** Returns the price of a node in USD/h: low, typical and high. */
    MonteCarloRanges.Triangle price() {
        int n = target.acceleratorsPerNode();
        double typical = target.cost()
                .hourlyUsd()
                .or(() -> times(target.device().costs().priceUsdHrTyp(), n))
                .orElseThrow();
        boolean isStated = target.cost().hourlyUsd().isPresent();
        double low = target.cost()
                .hourlyUsdLow()
                .or(() -> isStated
                        ? Optional.of(typical)
                        : times(target.device().costs().priceUsdHrLow(), n))
                .orElse(typical * UNKNOWN_LOW);
        double high = target.cost()
                .hourlyUsdHigh()
                .or(() -> isStated
                        ? Optional.of(typical)
                        : times(target.device().costs().priceUsdHrHigh(), n))
                .orElse(typical * UNKNOWN_HIGH);
        return new MonteCarloRanges.Triangle(Math.min(low, typical), typical, Math.max(high, typical));
    }

    private static Optional<Double> times(Optional<Double> price, int count) {
        return price.map(each -> each * count);
    }

    double watts() {
        return target.power()
                .nodeWatts()
                .orElseGet(() -> target.device().costs().powerW().orElse(DEFAULT_ACCELERATOR_WATTS)
                        * target.acceleratorsPerNode()
                        * REST_OF_NODE);
    }

    /** Returns the carbon intensity in kg of CO2 per kWh. */
    MonteCarloRanges.Triangle carbon() {
        return new MonteCarloRanges.Triangle(
                grid.gco2PerKwhLow() / GRAMS_PER_KILOGRAM,
                grid.gco2PerKwh() / GRAMS_PER_KILOGRAM,
                grid.gco2PerKwhHigh() / GRAMS_PER_KILOGRAM);
    }

    /** Returns a node of a capacity with typical price and power. */
    ScheduleCost.Node node(double capacity) {
        return node(capacity, new MonteCarloRanges.Draw(1, 1, price().mode(), carbon().mode()));
    }

    /** Returns a node of a capacity with drawn price, power and carbon intensity. */
    ScheduleCost.Node node(double capacity, MonteCarloRanges.Draw draw) {
        return new ScheduleCost.Node(
                capacity,
                draw.usdPerHour(),
                watts() * draw.power(),
                target.power().idleFraction(),
                target.power().pue(),
                target.cost().includesPower() ? 0 : grid.usdPerKwh(),
                draw.kgPerKwh());
    }
}
