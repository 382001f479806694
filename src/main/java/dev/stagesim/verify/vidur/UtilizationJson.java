package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Usage;
import dev.stagesim.sim.serving.Utilization;

/** Utilisation under the reference's names, without what no time passed for. */
final class UtilizationJson {
    private UtilizationJson() {}

    static JsonValue of(ServingSpec spec, Utilization utilization) {
        JsonObjectBuilder json = JsonValue.object();
        for (Usage usage : Usage.of(spec, utilization)) {
            if (!Double.isNaN(usage.mean())) {
                json.put(usage.referenceName() + "_min", usage.least());
                json.put(usage.referenceName() + "_max", usage.greatest());
                json.put(usage.referenceName() + "_weighted_mean", usage.mean());
            }
        }
        return json.build();
    }
}
