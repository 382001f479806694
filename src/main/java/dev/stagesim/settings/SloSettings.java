package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** What a service must hold: the section {@code slo}; null for no limit. */
public record SloSettings(
        @Key(doc = "Greatest P99 of the time to first token.", unit = "ms", def = "null", min = "0", above = true)
                Optional<Double> p99TtftMs,
        @Key(doc = "Greatest P99 of the time per output token.", unit = "ms", def = "null", min = "0", above = true)
                Optional<Double> p99TpotMs,
        @Key(doc = "Greatest time of a training step.", unit = "ms", def = "null", min = "0", above = true)
                Optional<Double> stepMs,
        @Key(doc = "Greatest cost.", unit = "USD per million tokens", def = "null", min = "0", above = true)
                Optional<Double> usdPerMtok,
        @Key(doc = "Greatest mean power, data centre included.", unit = "kW", def = "null", min = "0", above = true)
                Optional<Double> powerKw) {}
