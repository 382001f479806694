package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The section {@code compat}: a simulator that is reproduced with its accidents, one record for each, in its own file. */
public sealed interface ClusterCompat permits SplitwiseCompat {
    /** What of a cluster it does not know. */
    List<Problem> problems(Cluster cluster);

    /** Files that it reads. */
    List<Path> reads();

    /**
     * Runs the requests, writes what comes of them, and returns its figures.
     *
     * @throws StageException when a file does not have what it needs
     */
    Map<String, Double> run(ModelCard model, List<PoolPlan> pools, ServingInput input, Path out) throws IOException;
}
