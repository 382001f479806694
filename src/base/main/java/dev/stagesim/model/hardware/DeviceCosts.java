package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.CardRule;
import java.util.Optional;

/** Power and rental prices of a device. */
public record DeviceCosts(
        @Key("Board power. | null | W | 0.000001..1000000000") Optional<Double> powerW,
        @Key("Low rental price. | null | USD/h | 0..1000000") Optional<Double> priceUsdHrLow,
        @Key("Typical rental price. | null | USD/h | 0..1000000") Optional<Double> priceUsdHrTyp,
        @Key("High rental price. | null | USD/h | 0..1000000") Optional<Double> priceUsdHrHigh,
        @Key("Source of the prices. | null") Optional<String> priceBasis) {
    /**
     * Checks the prices against each other.
     *
     * @throws IllegalArgumentException if they are not in order
     */
    public DeviceCosts {
        CardRule.ordered("price_usd_hr_low", priceUsdHrLow, "price_usd_hr_typ", priceUsdHrTyp);
        CardRule.ordered("price_usd_hr_low", priceUsdHrLow, "price_usd_hr_high", priceUsdHrHigh);
        CardRule.ordered("price_usd_hr_typ", priceUsdHrTyp, "price_usd_hr_high", priceUsdHrHigh);
    }
}
