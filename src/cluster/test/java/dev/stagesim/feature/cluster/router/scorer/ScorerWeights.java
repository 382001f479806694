package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.model.KeyRecord;
import java.util.HashMap;
import java.util.Map;

/** Creates scorer settings for tests. */
public final class ScorerWeights {
    private ScorerWeights() {}

    /**
     * Returns scorers from alternating names and values. A name is either a scorer, for its weight, or a scorer and a
     * parameter with a dot between them. All other weights are 0.
     */
    public static Scorers of(Object... namesAndValues) {
        Map<String, Map<String, Object>> changes = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String[] name = ((String) namesAndValues[i] + ".weight").split("\\.", -1);
            changes.computeIfAbsent(name[0], none -> new HashMap<>()).put(name[1], namesAndValues[i + 1]);
        }
        return KeyRecord.make(Scorers.class, component -> {
            Map<String, Object> given = changes.computeIfAbsent(component.getName(), none -> new HashMap<>());
            given.putIfAbsent("weight", 0.0);
            return KeyRecord.of(component.getType().asSubclass(Record.class), given);
        });
    }
}
