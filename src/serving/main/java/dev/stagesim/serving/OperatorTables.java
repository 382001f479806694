package dev.stagesim.serving;

import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.serving.config.PredictorSettings;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Operator times from a folder of tables, which must contain all operators of the run's steps. */
final class OperatorTables {
    private static final Set<Operator> HOST = EnumSet.range(Operator.SCHEDULE, Operator.RAY_COMM_TIME);

    private OperatorTables() {}

    /** Reads the tables, and reports all missing tables at once. */
    static OperatorTimes read(ReplicaModel settings, PredictorSettings.Tables predictor, boolean host)
            throws IOException {
        List<PredictionTable> tables = TimesFolder.read(predictor.dir());
        Set<Operator> missing = needed(settings, host);
        tables.forEach(table -> missing.remove(table.operator()));
        if (!missing.isEmpty()) {
            throw StageException.input(missing.stream()
                    .map(operator -> Problem.artifact(
                                    predictor.dir().toString(),
                                    "has no " + operator.column() + ".csv, which " + why(operator))
                            .hint("add the table, or change the setting that requires it"))
                    .toList());
        }
        return TableTimes.of(predictor.kvGranularity(), tables);
    }

    private static Set<Operator> needed(ReplicaModel settings, boolean host) {
        ClusterSettings cluster = settings.cluster();
        Set<Operator> needed = EnumSet.allOf(Operator.class);
        if (cluster.tensorParallelSize() == 1) {
            needed.remove(Operator.ALL_REDUCE);
        }
        if (cluster.numPipelineStages() == 1) {
            needed.remove(Operator.SEND_RECV);
        }
        if (!settings.model().shape().postAttentionNorm()) {
            needed.remove(Operator.POST_ATTENTION_LAYERNORM);
        }
        if (!host) {
            needed.removeAll(HOST);
        }
        return needed;
    }

    private static String why(Operator operator) {
        return switch (operator) {
            case ALL_REDUCE -> "cluster.tensor_parallel_size above 1 requires";
            case SEND_RECV -> "cluster.num_pipeline_stages above 1 requires";
            case POST_ATTENTION_LAYERNORM -> "model.post_attention_norm=true requires";
            default -> HOST.contains(operator) ? "host times of steps require" : "every step requires";
        };
    }
}
