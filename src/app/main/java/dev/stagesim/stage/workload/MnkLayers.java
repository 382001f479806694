package dev.stagesim.stage.workload;

import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Parallelism;
import dev.stagesim.sim.mnk.TransformerLayers;
import dev.stagesim.sim.mnk.TransformerPhase;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.systolic.MnkWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The layers of a workload of matrix products: read from a table, or derived from a transformer's dimensions. */
final class MnkLayers {
    private static final int DEFAULT_BATCH = 8;
    private static final int DEFAULT_SEQUENCE = 2048;

    private MnkLayers() {}

    static List<MnkLayer> of(MnkWorkload settings, String policy, Cluster cluster, boolean isReference, Path home)
            throws IOException {
        if (settings.mnk().isPresent()) {
            Path file = ShippedFiles.file(settings.mnk().get(), home);
            List<MnkLayer> layers = MnkReader.read(file, policy, cluster, isReference);
            refuse(layers, cluster, file.toString(), false);
            return layers;
        }
        ModelCard model = settings.layers().model().orElseThrow();
        int sequence = sequence(settings, model);
        try {
            List<MnkLayer> layers = TransformerLayers.of(
                    model,
                    settings.layers().batch().orElse(DEFAULT_BATCH),
                    sequence,
                    settings.layers().numLayers().orElse(model.shape().numLayers()),
                    phase(settings),
                    Parallelism.of(policy).orElseThrow(),
                    cluster);
            refuse(layers, cluster, "workload.model", true);
            return layers;
        } catch (ArithmeticException e) {
            throw StageException.input(
                    Problem.config("workload.model", "a dimension of a layer is above 2^31 - 1")
                            .hint("lower workload.batch, workload.sequence or the model's dimensions"),
                    e);
        }
    }

    static int sequence(MnkWorkload settings, ModelCard model) {
        return settings.layers().sequence().orElse(Math.min(DEFAULT_SEQUENCE, model.maxPosition()));
    }

    /** Returns the phase of a transformer; tables are for training. */
    static TransformerPhase phase(MnkWorkload settings) {
        return settings.layers().phase().orElse(TransformerPhase.TRAINING);
    }

    /** Checks that shares are not empty after truncation; shares of derived layers must be integers. */
    private static void refuse(List<MnkLayer> layers, Cluster cluster, String where, boolean isWholeOnly) {
        List<Problem> problems = new ArrayList<>();
        for (MnkLayer layer : layers) {
            String what = "layer '" + layer.name() + "' (m " + layer.m() + ", n " + layer.n() + ", count "
                    + layer.count() + ") ";
            if (layer.isEmptyShare(cluster)) {
                problems.add(Problem.of("m/n/k table error", where, what + "has empty shares"));
            } else if (isWholeOnly && !layer.isDivisible(cluster)) {
                problems.add(Problem.of(
                        "m/n/k table error",
                        where,
                        what + "is not divisible by " + cluster.processors() + " processors of "
                                + layer.parallelism()));
            }
        }
        StageException.refuse(problems);
    }
}
