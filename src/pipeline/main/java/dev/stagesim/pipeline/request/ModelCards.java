package dev.stagesim.pipeline.request;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.ModelCard;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the model cards in the settings of a stage. */
public final class ModelCards {
    private final List<ModelCard> cards = new ArrayList<>();

    private ModelCards() {}

    /** Returns all cards, in order of declaration. */
    public static List<ModelCard> in(Record settings) {
        ModelCards found = new ModelCards();
        found.visit(settings);
        return found.cards;
    }

    private void visit(Object value) {
        if (value instanceof ModelCard card) {
            cards.add(card);
        } else if (value instanceof Optional<?> some) {
            some.ifPresent(this::visit);
        } else if (value instanceof Collection<?> items) {
            items.forEach(this::visit);
        } else if (value instanceof Map<?, ?> entries) {
            entries.values().forEach(this::visit);
        } else if (value instanceof Record section) {
            for (RecordComponent component : KeyRecord.components(section.getClass())) {
                visit(KeyRecord.value(component, section));
            }
        }
    }
}
