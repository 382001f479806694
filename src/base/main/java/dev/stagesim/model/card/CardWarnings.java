package dev.stagesim.model.card;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Warnings of a run that uses a model card. */
final class CardWarnings {
    private static final double GIGA = 1e9;

    /**
     * Maximum relative deviation from the published size. Names contain rounded sizes, and some include parts that the
     * card does not.
     */
    private static final double MAX_DEVIATION = 0.05;

    private CardWarnings() {}

    static List<String> of(ModelCard card) {
        List<String> warnings = new ArrayList<>();
        card.origin().unmodelled().forEach(what -> warnings.add("model " + card.name() + ": " + what));
        double computed = card.size().parameters() / GIGA;
        double whole = computed + card.origin().towerParamsB().orElse(0.0);
        card.origin()
                .computedParamsB()
                .filter(stated -> Math.abs(stated - computed) > MAX_DEVIATION * computed)
                .ifPresent(stated -> warnings.add("model " + card.name() + ": computed_params_b " + stated
                        + " has no effect: its dimensions give " + Math.round(computed * 1e3) / 1e3));
        card.origin()
                .publishedParamsB()
                .filter(published ->
                        whole < (1 - MAX_DEVIATION) * published || computed > (1 + MAX_DEVIATION) * published)
                .ifPresent(
                        published -> warnings.add(deviation(card, computed > published ? computed : whole, published)));
        if (warnings.isEmpty() && card.origin().confidence() == Confidence.LOW) { // other warnings state why
            warnings.add("model " + card.name() + ": the values of its card have low confidence (source: "
                    + card.origin().source() + ")");
        }
        return warnings;
    }

    private static String deviation(ModelCard card, double computed, double published) {
        return String.format(
                Locale.ROOT,
                "model %s: its dimensions give %.2f billion parameters, %.1f %% %s than the published %.4g billion"
                        + " (published_params_b); check the card",
                card.name(),
                computed,
                100 * Math.abs(computed - published) / published,
                computed > published ? "more" : "less",
                published);
    }
}
