package dev.stagesim.feature.cluster.experts;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Popularity as it was counted, of all layers or of one for all, at one time or at several. */
@Variant("recorded | As often as a file counts, from the times on that it states.")
public record RecordedLoad(
        @Key(
                        "CSV with the columns layer and expert, both from 0, and tokens, and where loads change time_s. A file of one"
                                + " layer holds for all.")
                Path file)
        implements ExpertLoad {
    private static final List<String> COLUMNS = List.of("layer", "expert", "tokens");

    @Override
    public Source of(int layers, int experts) {
        TreeMap<Double, double[][]> all = new TreeMap<>();
        try {
            LooseTable rows = LooseTable.read(file);
            List<Problem> problems = new ArrayList<>();
            for (String column : COLUMNS) {
                if (!rows.has(column)) {
                    problems.add(Problem.artifact(file.toString(), "there is no column '" + column + "'")
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
                            Problem.artifact(file.toString(), "row " + (i + 1) + " is not of the model's experts")
                                    .note(
                                            "expected",
                                            "layers 0 to " + (layers - 1) + ", experts 0 to " + (experts - 1)
                                                    + ", tokens and times of 0 or more"));
                }
                all.computeIfAbsent(at, unseen -> new double[layers][experts])[(int) layer][(int) expert] += tokens;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        all.values().forEach(this::share);
        if (all.isEmpty()) {
            throw StageException.input(Problem.artifact(file.toString(), "has no rows"));
        }
        return () -> new Listed(all);
    }

    /** Shares of each layer in place of counts; where only the first one has any, its shares for all. */
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
                        Problem.artifact(file.toString(), "has no tokens for layer " + layer + " at one of its times")
                                .hint("give every layer its experts, or layer 0 alone"));
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
