package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.sim.serving.metrics.DevicePower;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Rent, energy and carbon of the devices of a run. */
record Costs(ClusterFigures figures, double idlePower, Optional<Double> carbonGPerKwh) {
    static final double SECONDS_PER_HOUR = 3600;
    static final double J_PER_KWH = 3.6e6;
    private static final double MILLION = 1e6;
    private static final double G_PER_KG = 1e3;

    /** Returns the billed instance-hours of a pool. */
    double hours(PoolPlan pool) {
        return figures.of(pool).stream()
                        .mapToDouble(figures.sim.fleet()::billed)
                        .sum()
                / SECONDS_PER_HOUR;
    }

    /** Returns the rent of a pool in USD; empty if the card has no price. */
    Optional<Double> usd(PoolPlan pool) {
        return pool.replica()
                .hardware()
                .costs()
                .priceUsdHrTyp()
                .map(price -> price * hours(pool) * pool.shape().devices());
    }

    /** Returns the energy of a pool in J: idle power while an instance is billed but runs no batch, else {@link DevicePower}. */
    Optional<Double> joules(PoolPlan pool) {
        return pool.replica().hardware().costs().powerW().map(watts -> {
            double busy = figures.of(pool).stream().mapToDouble(i -> i.busy).sum();
            double powered =
                    figures.of(pool).stream().mapToDouble(i -> i.poweredSeconds).sum();
            double idle = Math.max(0, hours(pool) * SECONDS_PER_HOUR - busy);
            return watts * pool.shape().devices() * (idlePower * idle + powered);
        });
    }

    /** Returns the carbon of a pool's electricity in kg; empty if unknown. */
    Optional<Double> carbonKg(PoolPlan pool) {
        return joules(pool).flatMap(joules -> carbonGPerKwh.map(grams -> joules / J_PER_KWH * grams / G_PER_KG));
    }

    private Optional<Double> all(Function<PoolPlan, Optional<Double>> metric) {
        List<Optional<Double>> values = figures.pools.stream().map(metric).toList();
        return values.stream().allMatch(Optional::isPresent)
                ? Optional.of(values.stream().mapToDouble(Optional::orElseThrow).sum())
                : Optional.empty();
    }

    /** Returns the rent per million output tokens of completed requests. */
    Optional<Double> usdPerMillion() {
        double tokens = figures.outputTokens();
        return tokens > 0 ? all(this::usd).map(usd -> usd / tokens * MILLION) : Optional.empty();
    }

    /** Returns the energy per output token of completed requests in J. */
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
