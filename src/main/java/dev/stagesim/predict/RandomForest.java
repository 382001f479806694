package dev.stagesim.predict;

import dev.stagesim.predict.forest.Blocks;
import dev.stagesim.predict.forest.Draws;
import dev.stagesim.predict.forest.ForestSpec;
import dev.stagesim.predict.forest.GridSearch;
import java.util.ArrayList;
import java.util.List;

/**
 * Predictor that grows a random forest per operator, bit for bit as Vidur's scikit-learn forests come out.
 *
 * <p>A forest is a staircase: between and beyond measured sizes it repeats the values of its leaves, so asking beyond the
 * greatest measured size is allowed and gives the last step.
 *
 * @param range keys to answer for
 * @param candidates sizes to choose from by cross-validation
 * @param folds folds of the cross-validation, at least 2
 * @param seed seed of the generator that all forests take the seeds of their trees from
 * @param source makes numpy's legacy generators
 */
public record RandomForest(Range range, List<ForestSpec> candidates, int folds, long seed, Draws.Source source)
        implements TrainedPredictor {
    public RandomForest {
        candidates = List.copyOf(candidates);
    }

    /** All combinations, the number of trees varying fastest, then the rows of a split, then the depth. */
    public static List<ForestSpec> grid(List<Integer> trees, List<Integer> depths, List<Integer> splits) {
        List<ForestSpec> grid = new ArrayList<>();
        for (int depth : depths) {
            for (int split : splits) {
                for (int n : trees) {
                    grid.add(new ForestSpec(n, depth, split));
                }
            }
        }
        return grid;
    }

    @Override
    public int kvGranularity() {
        return range.kvGranularity();
    }

    @Override
    public List<PredictionTable> train(Profile profile) {
        return train(
                profile,
                TRAINING_ORDER.stream()
                        .filter(operator -> Features.present(profile, operator))
                        .toList());
    }

    /** Trains only some operators, in this order. */
    public List<PredictionTable> train(Profile profile, List<Operator> operators) {
        OperatorTimes.Coverage coverage = Reach.of(profile, range);
        GridSearch search = new GridSearch(candidates, folds, source.seeded(seed), source);
        List<PredictionTable> tables = new ArrayList<>();
        for (Operator operator : operators) {
            KeyGrid keys = KeyGrid.of(operator, coverage);
            Blocks blocks = search.fit(Features.of(profile, operator).rows())
                    .over(Features.single(keys.firstFeature()), Features.single(keys.secondFeature()));
            tables.add(keys.table(blocks.firstStarts(), blocks.secondStarts(), blocks.values()));
        }
        return tables;
    }
}
