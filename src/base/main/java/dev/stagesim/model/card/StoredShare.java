package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import dev.stagesim.model.KeyNames;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Precision of a share of the weights of one group.
 *
 * @param share 0 to 1; the rest of the group has the precision of the card's weights
 */
public record StoredShare(
        @Key("Group of weights.") LayerGroup group,
        @Key("Precision of the weights.") Precision precision,
        @Key("Share of the group's weights. | 1 | 0.000000001..1") double share) {
    private static final double ROUNDING = 1e-9;

    /** Returns the shares of a group in a card, completed to 1 with the default precision. */
    static List<StoredShare> of(ModelCard card, LayerGroup group) {
        List<StoredShare> parts = new ArrayList<>();
        double rest = 1;
        for (StoredShare part : card.formats().storage()) {
            if (part.group() == group) {
                parts.add(part);
                rest -= part.share();
            }
        }
        if (rest > ROUNDING) {
            parts.add(new StoredShare(group, defaultPrecision(card, group), rest));
        }
        return parts;
    }

    /** Embeddings and output head have 16 bits, except in files of llama.cpp. */
    private static Precision defaultPrecision(ModelCard card, LayerGroup group) {
        return switch (group) {
            case EXPERTS -> card.formats().expertWeights().orElse(card.formats().weights());
            case EMBEDDING -> Precision.BF16;
            case HEAD -> card.formats().weights() == Precision.Q4_K_M ? Precision.Q4_K_M : Precision.BF16;
            default -> card.formats().weights();
        };
    }

    boolean isWiderThan(Precision other) {
        return precision.bytes() > other.bytes();
    }

    /** Rejects shares of a group that add up to more than 1. */
    static void check(List<StoredShare> storage) {
        Map<LayerGroup, Double> sums = new EnumMap<>(LayerGroup.class);
        storage.forEach(part -> sums.merge(part.group(), part.share(), Double::sum));
        sums.forEach((group, sum) -> {
            if (sum > 1 + ROUNDING) {
                throw new IllegalArgumentException(
                        "the shares of " + KeyNames.constant(group) + " in storage add up to " + sum + ", more than 1");
            }
        });
    }
}
