package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.report.Regret;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Configuration of the stage {@code cluster_sim}. */
@FormerKeys(value = "against=baseline", removed = "compat=cluster_sim has no second simulator; leave it out")
public record ClusterSimSettings(
        @Key("Model to serve.") ModelCard model,
        @Key("Default devices of pools.") HardwareCard hardware,
        @Key("Request lengths; workload.dir reuses the requests of a finished run. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("Arrival process. | { kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Key("Serving engines, by the name that pools refer to. | {}") Map<String, EngineSettings> engines,
        @Key("Pools, routers and links.") ServingClusterSettings cluster,
        @Key("Run directory of the baseline: a finished run with the same requests, to explain the difference;"
                        + " null for none. | null")
                Optional<Path> baseline,
        @Key("Replays of routing decisions with alternative instances; null for none. | null")
                Optional<Regret.Settings> regret) {}
