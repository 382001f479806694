package dev.stagesim.predict;

import dev.stagesim.predict.forest.Draws;
import dev.stagesim.predict.forest.Forest;
import dev.stagesim.predict.forest.ForestSpec;
import dev.stagesim.predict.linear.LinearGridSearch;
import dev.stagesim.predict.linear.LinearModel;
import dev.stagesim.predict.linear.LinearSpec;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;

/** The predictors as learners. */
public final class Learners {
    private Learners() {}

    /** Piecewise linear, like {@link Interpolation}. */
    public static Learner interpolation(OptionalDouble outlierThreshold) {
        return new Learner() {
            @Override
            public DoubleUnaryOperator curve(Curve rows) {
                return PiecewiseLinear.of(rows, outlierThreshold)::at;
            }

            @Override
            public ByKvAndCount surface(Operator operator, Surface rows, int maxKv, int maxCount) {
                return AttentionSurface.of(rows, 1, maxKv, maxCount, outlierThreshold)::at;
            }
        };
    }

    /** A forest of fixed size, like {@link RandomForest}; every fit restarts the generator of seeds. */
    public static Learner forest(ForestSpec spec, long seed, Draws.Source source) {
        return new Learner() {
            private Forest grow(Features rows) {
                return Forest.grow(rows.rows(), spec, Forest.drawSeeds(source.seeded(seed), spec.trees()), source);
            }

            @Override
            public DoubleUnaryOperator curve(Curve rows) {
                Forest forest = grow(Features.of(rows));
                return size -> forest.at((float) size, 0);
            }

            @Override
            public ByKvAndCount surface(Operator operator, Surface rows, int maxKv, int maxCount) {
                Forest forest = grow(Features.of(rows, operator));
                return operator == Operator.ATTN_PREFILL
                        ? (kv, chunk) -> forest.at(kv, (float) ((long) chunk * chunk))
                        : (kv, batch) -> forest.at(batch, kv);
            }
        };
    }

    /** A polynomial, like {@link LinearRegression}. */
    public static Learner linear(List<LinearSpec> candidates, int folds) {
        return new Learner() {
            private LinearModel fit(Features rows) {
                return LinearGridSearch.fit(rows.columns(), rows.targets(), candidates, folds);
            }

            @Override
            public DoubleUnaryOperator curve(Curve rows) {
                LinearModel model = fit(Features.of(rows));
                return size -> model.at(size, 0);
            }

            @Override
            public ByKvAndCount surface(Operator operator, Surface rows, int maxKv, int maxCount) {
                LinearModel model = fit(Features.of(rows, operator));
                return operator == Operator.ATTN_PREFILL
                        ? (kv, chunk) -> model.at(kv, (double) chunk * chunk)
                        : (kv, batch) -> model.at(batch, kv);
            }
        };
    }
}
