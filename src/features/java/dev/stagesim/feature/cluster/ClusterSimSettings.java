package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.report.Regret;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Configuration of the stage {@code cluster_sim}. */
@FormerKeys(removed = "compat=cluster_sim has no second simulator; leave it out")
public record ClusterSimSettings(
        @Key("The model to serve.") ModelCard model,
        @Key("The devices of pools that name none.") HardwareCard hardware,
        @Key("Lengths of the requests; workload.dir names a finished run that has them. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("How the requests come. | { kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Key("Serving engines that pools can name. | {}") Map<String, EngineSettings> engines,
        @Key("Pools, routers and links.") ServingClusterSettings cluster,
        @Key("A finished run of the same requests, to explain the difference from; null for none. | null")
                Optional<Path> against,
        @Key("Replays of single decisions of the routers; null for none. | null") Optional<Regret.Settings> regret) {}
