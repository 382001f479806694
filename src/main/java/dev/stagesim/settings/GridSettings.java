package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** The electricity: the section {@code grid}. */
public record GridSettings(
        @Key(doc = "Where it is.") String name,
        @Key(doc = "Carbon dioxide of a kWh.", unit = "g/kWh", min = "0") double gco2PerKwh,
        @Key(doc = "Lowest of it.", unit = "g/kWh", min = "0") double gco2PerKwhLow,
        @Key(doc = "Highest of it.", unit = "g/kWh", min = "0") double gco2PerKwhHigh,
        @Key(doc = "Price, where a target's does not include power.", unit = "USD/kWh", def = "0.12", min = "0")
                double usdPerKwh,
        @Key(doc = "Where the figures come from.") String source) {}
