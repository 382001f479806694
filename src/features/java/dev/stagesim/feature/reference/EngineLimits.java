package dev.stagesim.feature.reference;

import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import java.util.ArrayList;
import java.util.List;

/** What keeps the engine from running a model as its card describes it. */
public final class EngineLimits {
    private EngineLimits() {}

    /**
     * All that stands against running a model; empty when nothing does.
     *
     * @param mostMillions greatest number of weights, in millions
     */
    public static List<Problem> problems(ModelCard card, int mostMillions) {
        List<Problem> problems = new ArrayList<>();
        if (card.isLatentAttention()) {
            problems.add(problem(card, "has latent attention, which the engine does not compute"));
        }
        if (card.isMixtureOfExperts()) {
            problems.add(problem(card, "has a mixture of experts, which the engine does not compute"));
        }
        if (card.slidingWindow().filter(window -> window < card.maxPosition()).isPresent()) {
            problems.add(problem(card, "has sliding windows, which the engine does not compute"));
        }
        if (problems.isEmpty() && card.headDim() % 2 != 0) {
            problems.add(problem(card, "has heads of the odd width " + card.headDim() + ", which cannot be rotated"));
        }
        long weights = problems.isEmpty() ? EngineShape.of(card).weights() : 0;
        if (weights > mostMillions * 1_000_000L) {
            problems.add(problem(
                            card,
                            String.format(
                                    java.util.Locale.ROOT,
                                    "has %.0f million weights, more than engine.max_parameters_m=%d",
                                    weights / 1e6,
                                    mostMillions))
                    .note("or", "raise engine.max_parameters_m, and wait"));
        }
        return problems;
    }

    private static Problem problem(ModelCard card, String what) {
        return Problem.config("model", card.name() + " " + what)
                .hint("take model=tiny, or scale the card down: " + Shell.line(ScaledDown.overrides(card)));
    }
}
