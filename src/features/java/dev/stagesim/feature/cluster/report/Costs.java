package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.PoolPlan;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What the devices of a run cost, and the energy they take. */
record Costs(ClusterFigures figures, double idlePower, Optional<Double> carbonGPerKwh) {
    private static final double SECONDS_PER_HOUR = 3600;
    static final double J_PER_KWH = 3.6e6;
    private static final double MILLION = 1e6;
    private static final double G_PER_KG = 1e3;

    /** Instance-hours from the order of each to its end. */
    double hours(PoolPlan pool) {
        return figures.of(pool).stream()
                        .mapToDouble(figures.sim.fleet()::billed)
                        .sum()
                / SECONDS_PER_HOUR;
    }

    /** Rent of a pool's devices in USD; empty where the card has no price. */
    Optional<Double> usd(PoolPlan pool) {
        return pool.replica()
                .hardware()
                .priceUsdHrTyp()
                .map(price -> price * hours(pool) * pool.shape().devices());
    }

    /** Energy of a pool's devices in J: idle power while they are paid for, board power while they have a batch. */
    Optional<Double> joules(PoolPlan pool) {
        return pool.replica().hardware().powerW().map(watts -> {
            double busy = figures.of(pool).stream().mapToDouble(i -> i.busy).sum();
            double seconds = hours(pool) * SECONDS_PER_HOUR;
            return watts * pool.shape().devices() * (idlePower * seconds + (1 - idlePower) * busy);
        });
    }

    /** Carbon of the electricity of a pool in kg; empty where either is not known. */
    Optional<Double> carbonKg(PoolPlan pool) {
        return joules(pool).flatMap(joules -> carbonGPerKwh.map(grams -> joules / J_PER_KWH * grams / G_PER_KG));
    }

    private Optional<Double> all(Function<PoolPlan, Optional<Double>> what) {
        List<Optional<Double>> each = figures.pools.stream().map(what).toList();
        return each.stream().allMatch(Optional::isPresent)
                ? Optional.of(each.stream().mapToDouble(Optional::orElseThrow).sum())
                : Optional.empty();
    }

    /** Rent for a million output tokens of requests that were served. */
    Optional<Double> usdPerMillion() {
        double tokens = figures.outputTokens();
        return tokens > 0 ? all(this::usd).map(usd -> usd / tokens * MILLION) : Optional.empty();
    }

    /** Energy of an output token of requests that were served, in J. */
    Optional<Double> joulesPerToken() {
        double tokens = figures.outputTokens();
        return tokens > 0 ? all(this::joules).map(joules -> joules / tokens) : Optional.empty();
    }

    void addTo(Map<String, Double> all) {
        for (PoolPlan pool : figures.pools) {
            all.put(pool.name() + "_instance_hours", hours(pool));
            usd(pool).ifPresent(usd -> all.put(pool.name() + "_usd", usd));
            joules(pool).ifPresent(joules -> all.put(pool.name() + "_kwh", joules / J_PER_KWH));
            carbonKg(pool).ifPresent(kg -> all.put(pool.name() + "_carbon_kg", kg));
        }
        usdPerMillion().ifPresent(usd -> all.put("usd_per_mtok", usd));
        joulesPerToken().ifPresent(joules -> all.put("joules_per_output_token", joules));
    }
}
