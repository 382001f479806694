package dev.stagesim.predict;

import dev.stagesim.predict.linear.LinearGridSearch;
import dev.stagesim.predict.linear.LinearModel;
import dev.stagesim.predict.linear.LinearSpec;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;

/**
 * Predictor that fits one polynomial per operator; cross-validation selects its form.
 *
 * <p>Polynomials of token counts are badly scaled, so results depend on the solver beyond about ten digits. They may
 * become negative, and grow rapidly beyond the measured sizes.
 *
 * @param range keys to cover
 * @param candidates forms to choose from
 * @param folds folds of the cross-validation, at least 2
 * @param allowNegative whether negative times are kept; otherwise they become 0
 */
public record LinearRegression(Range range, List<LinearSpec> candidates, int folds, boolean allowNegative)
        implements Predictor {
    public LinearRegression {
        candidates = List.copyOf(candidates);
    }

    /** All combinations; interaction-only varies fastest, then the bias, the degree, the intercept. */
    public static List<LinearSpec> grid(
            List<Boolean> intercepts, List<Integer> degrees, List<Boolean> biases, List<Boolean> interactions) {
        List<LinearSpec> grid = new ArrayList<>();
        for (boolean intercept : intercepts) {
            for (int degree : degrees) {
                for (boolean bias : biases) {
                    for (boolean interaction : interactions) {
                        grid.add(new LinearSpec(intercept, degree, bias, interaction));
                    }
                }
            }
        }
        return grid;
    }

    @Override
    public List<String> extrapolated(Profile profile) {
        return CoverageRange.extrapolated(profile, range);
    }

    @Override
    public OperatorTimes fit(Profile profile) {
        return fit(profile, choose(profile));
    }

    /** Selects the form of each operator's polynomial; the expensive part. */
    public Map<Operator, LinearSpec> choose(Profile profile) {
        Map<Operator, LinearSpec> forms = new EnumMap<>(Operator.class);
        for (Operator operator : Operator.values()) {
            if (Features.present(profile, operator)) {
                Features rows = Features.of(profile, operator);
                forms.put(operator, LinearGridSearch.best(rows.columns(), rows.targets(), candidates, folds));
            }
        }
        return forms;
    }

    /** Fits polynomials with the forms that {@link #choose} selected for the same rows. */
    public OperatorTimes fit(Profile profile, Map<Operator, LinearSpec> forms) {
        Map<Operator, LinearModel> models = new EnumMap<>(Operator.class);
        new EnumMap<>(forms).forEach((operator, form) -> {
            Features rows = Features.of(profile, operator);
            models.put(operator, LinearModel.fit(rows.columns(), rows.targets(), form));
        });
        LinearModel prefill = Objects.requireNonNull(models.remove(Operator.ATTN_PREFILL));
        LinearModel decode = Objects.requireNonNull(models.remove(Operator.ATTN_DECODE));
        double minimum = allowNegative ? Double.NEGATIVE_INFINITY : 0;
        Map<Operator, IntToDoubleFunction> curves = new EnumMap<>(Operator.class);
        models.forEach((operator, model) -> curves.put(operator, size -> Math.max(minimum, model.at(size, 0))));
        return new TabulatedTimes(CoverageRange.of(profile, range), curves) {
            @Override
            double decode(int batch, int kvTokens) {
                return Math.max(minimum, decode.at(batch, kvTokens));
            }

            @Override
            double prefill(int kvTokens, int chunkTokens) {
                return Math.max(minimum, prefill.at(kvTokens, (double) chunkTokens * chunkTokens));
            }
        };
    }
}
