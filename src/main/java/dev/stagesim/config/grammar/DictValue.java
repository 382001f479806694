package dev.stagesim.config.grammar;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A map in the order written; of equal keys the last value wins at the first one's place.
 *
 * @param entries the pairs, keys unique
 */
public record DictValue(List<Entry> entries) implements Value {
    /**
     * One pair.
     *
     * @param key typed in Hydra's dialect, always a string in ours
     * @param value the value
     */
    public record Entry(Scalar key, Value value) {}

    public DictValue {
        Map<Object, Entry> unique = new LinkedHashMap<>();
        for (Entry entry : entries) {
            Object identity = ScalarIdentity.of(entry.key());
            Entry first = unique.get(identity);
            unique.put(identity, first == null ? entry : new Entry(first.key(), entry.value()));
        }
        entries = List.copyOf(unique.values());
    }
}
