package dev.stagesim.capacity;

import dev.stagesim.model.Key;
import java.util.Optional;
import java.util.stream.Stream;

/** Service-level objectives: the section {@code slo}; null for no limit. */
public record SloSettings(
        @Key("Maximum P99 of the time to first token. | null | ms | 0.000001..1000000000") Optional<Double> p99TtftMs,
        @Key("Maximum P99 of the time per output token. | null | ms | 0.000001..1000000000") Optional<Double> p99TpotMs,
        @Key("Maximum time of a training step. | null | ms | 0.000001..1000000000") Optional<Double> stepMs,
        @Key("Maximum cost. | null | USD per million tokens | 0.000001..1000000000") Optional<Double> usdPerMtok,
        @Key("Maximum mean power, including the data centre. | null | kW | 0.000001..1000000000")
                Optional<Double> powerKw) {
    /** Returns true if a limit is set. */
    public boolean isAny() {
        return Stream.of(p99TtftMs, p99TpotMs, stepMs, usdPerMtok, powerKw).anyMatch(Optional::isPresent);
    }
}
