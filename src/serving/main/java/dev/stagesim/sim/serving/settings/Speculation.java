package dev.stagesim.sim.serving.settings;

import dev.stagesim.sim.serving.memory.VllmRules;
import java.util.List;

/**
 * Speculative decoding: draft tokens that the next step verifies.
 *
 * @param method method that proposes draft tokens
 * @param tokens draft tokens of a step
 * @param isParallel whether one pass of the draft model produces all of them
 * @param layers prediction layers of the model (multi-token prediction)
 * @param byBatchSize draft tokens by number of requests in a batch, ascending; empty for a fixed number
 */
public record Speculation(Method method, int tokens, boolean isParallel, int layers, List<Range> byBatchSize) {
    /** No drafts. */
    public static final Speculation NONE = new Speculation(Method.NONE, 0, false, 1, List.of());

    /** The method that proposes draft tokens. */
    public enum Method {
        NONE,
        NGRAM,
        MEDUSA,
        SUFFIX,
        EAGLE,
        EAGLE3,
        MTP,
        DSPARK,
        DFLASH,
        DRAFT_MODEL
    }

    /** Batches of {@code from} to {@code to} requests use {@code tokens} draft tokens. */
    public record Range(int from, int to, int tokens) {}

    public Speculation {
        byBatchSize = List.copyOf(byBatchSize);
        if (tokens < 0 || (method == Method.NONE) != (tokens == 0)) {
            throw new IllegalArgumentException(method + " with " + tokens + " drafts");
        }
    }

    public static Speculation of(Method method, int tokens) {
        return new Speculation(method, tokens, false, 1, List.of());
    }

    /** Returns true if the draft model reads the hidden states of the target, so that the last hit block is recomputed. */
    public boolean readsStates() {
        return switch (method) {
            case EAGLE, EAGLE3, MTP, DSPARK, DFLASH -> true;
            default -> false;
        };
    }

    /** Returns the positions after a step that draft tokens may use. */
    public int lookahead() {
        return switch (method) {
            case NONE, NGRAM, MEDUSA, SUFFIX -> 0;
            case EAGLE, EAGLE3, MTP, DSPARK, DRAFT_MODEL -> tokens;
            case DFLASH -> tokens + 1;
        };
    }

    /** Returns true if the draft model reads the token after each position, so that a cached position depends on it. */
    public boolean readsNextToken() {
        return switch (method) {
            case EAGLE, EAGLE3, MTP -> true;
            default -> false;
        };
    }

    /** Returns the tokens after a chunk of a prompt that the draft model reads. */
    public int tokensAhead() {
        return modules() > 1 ? tokens : readsStates() ? 1 : 0;
    }

    /**
     * Returns the additional input positions of the draft model per request.
     *
     * @param rules rules of the engine's version
     */
    public int draftSlots(VllmRules rules) {
        if (rules.sparesParallelDraftSlots() && (method == Method.DSPARK || method == Method.DFLASH)) {
            return 0;
        }
        return switch (method) {
            case NONE, NGRAM, MEDUSA, SUFFIX -> 0;
            case EAGLE, EAGLE3, MTP -> isParallel ? tokens - 1 : 0;
            case DSPARK -> tokens - 1;
            case DFLASH -> tokens;
            case DRAFT_MODEL -> isParallel ? tokens : 1;
        };
    }

    /** Returns the number of prediction modules in use. */
    public int modules() {
        return method == Method.MTP ? Math.max(1, Math.min(layers, tokens)) : 1;
    }

    /** Returns the tokens after its own that the last of several modules reads. */
    public int draftReach() {
        return modules() > 1 ? tokens - 1 : 0;
    }

    public boolean isDynamic() {
        return !byBatchSize.isEmpty();
    }

    /** Returns the draft tokens after a step with {@code requests} requests. */
    public int tokensFor(int requests) {
        int drafts = tokens;
        for (Range range : byBatchSize) {
            if (requests >= range.from()) {
                drafts = Math.min(tokens, range.tokens());
            }
        }
        return drafts;
    }
}
