package dev.stagesim.feature.cluster.experts;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Expert loads from a file, for all layers or one, constant or changing over time. */
@Variant("recorded | Loads from a file, which may change over time.")
public record RecordedLoad(
        @Key("CSV with the columns layer and expert, both from 0, and tokens; and time_s if"
                        + " loads change. Loads of layer 0 alone apply to all layers.")
                Path file)
        implements ExpertLoad {
    private static final List<String> COLUMNS = List.of("layer", "expert", "tokens");

    @Override
    public Source of(int layers, int experts) {
        TreeMap<Double, double[][]> all = new TreeMap<>();
        LooseTable rows = Unchecked.get(() -> LooseTable.read(file));
        List<Problem> problems = new ArrayList<>();
        for (String column : COLUMNS) {
            if (!rows.has(column)) {
                problems.add(Problem.artifact(file.toString(), "lacks the column '" + column + "'")
                        .options(COLUMNS));
            }
        }
        StageException.refuse(problems);
        for (int i = 0; i < rows.size(); i++) {
            double at = rows.has("time_s") ? rows.number(i, "time_s") : 0;
            long layer = rows.integer(i, "layer");
            long expert = rows.integer(i, "expert");
            double tokens = rows.number(i, "tokens");
            if (layer < 0 || layer >= layers || expert < 0 || expert >= experts || !(tokens >= 0) || !(at >= 0)) {
                throw StageException.input(
                        Problem.artifact(file.toString(), "row " + (i + 1) + " does not match the experts of the model")
                                .note(
                                        "expected",
                                        "layers 0 to " + (layers - 1) + ", experts 0 to " + (experts - 1)
                                                + ", tokens and times of at least 0"));
            }
            all.computeIfAbsent(at, unseen -> new double[layers][experts])[(int) layer][(int) expert] += tokens;
        }
        all.values().forEach(this::share);
        if (all.isEmpty()) {
            throw StageException.input(Problem.artifact(file.toString(), "has no rows"));
        }
        return () -> new Listed(all);
    }

    /** Replaces counts by shares per layer. If only layer 0 has counts, its shares apply to all layers. */
    private void share(double[][] counts) {
        boolean isOne = true;
        for (int layer = 0; layer < counts.length; layer++) {
            double sum = 0;
            for (double tokens : counts[layer]) {
                sum += tokens;
            }
            isOne &= layer == 0 || sum == 0;
            if (layer > 0 && isOne) {
                continue;
            }
            if (!(sum > 0)) {
                throw StageException.input(
                        Problem.artifact(file.toString(), "has no tokens for layer " + layer + " at one of the times")
                                .hint("give loads for every layer, or for layer 0 alone"));
            }
            for (int expert = 0; expert < counts[layer].length; expert++) {
                counts[layer][expert] /= sum;
            }
        }
        for (int layer = 1; layer < counts.length && isOne; layer++) {
            counts[layer] = counts[0].clone();
        }
    }

    private static final class Listed implements Phases {
        private final Iterator<Map.Entry<Double, double[][]>> left;
        private final TreeMap<Double, double[][]> all;
        private double until;

        Listed(TreeMap<Double, double[][]> all) {
            this.all = all;
            left = all.entrySet().iterator();
        }

        @Override
        public double[][] next() {
            Map.Entry<Double, double[][]> phase = left.next();
            Double later = all.higherKey(phase.getKey());
            until = later == null ? Double.POSITIVE_INFINITY : later;
            return phase.getValue();
        }

        @Override
        public double until() {
            return until;
        }
    }
}
