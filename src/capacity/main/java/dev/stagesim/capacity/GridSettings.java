package dev.stagesim.capacity;

import dev.stagesim.model.Key;

/** Electricity: the section {@code grid}. */
public record GridSettings(
        @Key("Region.") String name,
        @Key("Grid carbon intensity. | required | g/kWh | 0..1000000") double gco2PerKwh,
        @Key("Lower bound of grid carbon intensity. | required | g/kWh | 0..1000000") double gco2PerKwhLow,
        @Key("Upper bound of grid carbon intensity. | required | g/kWh | 0..1000000") double gco2PerKwhHigh,
        @Key("Price of electricity, for targets whose price excludes it. | 0.12 | USD/kWh | 0..1000000")
                double usdPerKwh,
        @Key("Source of the values.") String source) {}
