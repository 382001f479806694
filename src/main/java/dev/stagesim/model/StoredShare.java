package dev.stagesim.model;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How a share of the weights of one group is stored.
 *
 * @param share 0 to 1; the rest of the group is stored as the card's weights
 */
public record StoredShare(
        @Key("Group of weights.") LayerGroup group,
        @Key("How they are stored.") Precision precision,
        @Key("Share of the group's weights. | 1 | 0.000000001..1") double share) {
    private static final double ROUNDING = 1e-9;

    /** The shares of a group in a card, completed to 1 by its default. */
    static List<StoredShare> of(ModelCard card, LayerGroup group) {
        List<StoredShare> parts = new ArrayList<>();
        double rest = 1;
        for (StoredShare part : card.storage()) {
            if (part.group() == group) {
                parts.add(part);
                rest -= part.share();
            }
        }
        if (rest > ROUNDING) {
            parts.add(new StoredShare(group, usual(card, group), rest));
        }
        return parts;
    }

    /** Embeddings and output head are 16 bits wide, except in files of llama.cpp. */
    private static Precision usual(ModelCard card, LayerGroup group) {
        return switch (group) {
            case EXPERTS -> card.expertWeights().orElse(card.weights());
            case EMBEDDING -> Precision.BF16;
            case HEAD -> card.weights() == Precision.Q4_K_M ? Precision.Q4_K_M : Precision.BF16;
            default -> card.weights();
        };
    }

    boolean isWiderThan(Precision other) {
        return precision.bytes() > other.bytes();
    }

    /** Refuses shares of a group that add up to more than 1. */
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
