package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.model.KeyRecord;
import java.util.HashMap;
import java.util.Map;

/** Makes sections of scorers for tests. */
public final class ScorerWeights {
    private ScorerWeights() {}

    /** Returns the defaults without the scorer of token loads, with some components changed: names and numbers in turn. */
    public static Scorers of(Object... namesAndValues) {
        Map<String, Object> changes = new HashMap<>(Map.of("tokenLoad", 0.0));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            changes.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return KeyRecord.with(Scorers.class, KeyRecord.defaults(Scorers.class), changes);
    }
}
