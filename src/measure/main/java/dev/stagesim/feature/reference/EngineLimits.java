package dev.stagesim.feature.reference;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import dev.stagesim.model.card.ModelCard;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Checks whether the reference engine can run a model card. */
public final class EngineLimits {
    private EngineLimits() {}

    /**
     * Returns the reasons why the engine cannot run a model; empty if it can.
     *
     * @param maxMillions maximum number of weights, in millions
     */
    public static List<Problem> problems(ModelCard card, int maxMillions) {
        List<Problem> problems = new ArrayList<>();
        if (card.isLatentAttention()) {
            problems.add(problem(card, "has latent attention, which the engine does not compute"));
        }
        if (card.isMixtureOfExperts()) {
            problems.add(problem(card, "has a mixture of experts, which the engine does not compute"));
        }
        if (card.window()
                .slidingWindow()
                .filter(window -> window < card.maxPosition())
                .isPresent()) {
            problems.add(problem(card, "has sliding windows, which the engine does not compute"));
        }
        if (problems.isEmpty() && card.shape().headDim() % 2 != 0) {
            problems.add(problem(
                    card, "has heads of the odd width " + card.shape().headDim() + ", which cannot be rotated"));
        }
        long weights = problems.isEmpty() ? EngineShape.of(card).weights() : 0;
        if (weights > maxMillions * 1_000_000L) {
            problems.add(problem(
                            card,
                            String.format(
                                    Locale.ROOT,
                                    "has %.0f million weights, more than engine.max_parameters_m=%d",
                                    weights / 1e6,
                                    maxMillions))
                    .note("or", "raise engine.max_parameters_m; the run takes longer"));
        }
        return problems;
    }

    private static Problem problem(ModelCard card, String what) {
        return Problem.config("model", card.name() + " " + what)
                .hint("use model=tiny, or scale the card down: " + Shell.line(CardScaling.overrides(card)));
    }
}
