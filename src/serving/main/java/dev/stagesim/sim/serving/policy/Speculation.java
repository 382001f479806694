package dev.stagesim.sim.serving.policy;

import java.util.List;

/**
 * Speculative decoding: drafts that the next step verifies.
 *
 * @param method where drafts come from
 * @param tokens drafts of a step
 * @param isParallel whether one pass of the draft model makes all of them
 * @param layers prediction layers of the model (multi-token prediction)
 * @param byBatchSize drafts by number of requests in a batch, ascending; empty when the number is fixed
 */
public record Speculation(Method method, int tokens, boolean isParallel, int layers, List<Range> byBatchSize) {
    /** No drafts. */
    public static final Speculation NONE = new Speculation(Method.NONE, 0, false, 1, List.of());

    /** Where drafts come from. */
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

    /** Batches of {@code from} to {@code to} requests use {@code tokens} drafts. */
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

    /** Whether the draft model reads the target's states, so that the last hit block is computed again. */
    public boolean readsStates() {
        return switch (method) {
            case EAGLE, EAGLE3, MTP, DSPARK, DFLASH -> true;
            default -> false;
        };
    }

    /** Positions that drafts may write to behind a step. */
    public int lookahead() {
        return switch (method) {
            case NONE, NGRAM, MEDUSA, SUFFIX -> 0;
            case EAGLE, EAGLE3, MTP, DSPARK, DRAFT_MODEL -> tokens;
            case DFLASH -> tokens + 1;
        };
    }

    /** Input positions of the draft model that every request takes besides its own. */
    public int draftSlots() {
        return switch (method) {
            case NONE, NGRAM, MEDUSA, SUFFIX -> 0;
            case EAGLE, EAGLE3, MTP -> isParallel ? tokens - 1 : 0;
            case DSPARK -> tokens - 1;
            case DFLASH -> tokens;
            case DRAFT_MODEL -> isParallel ? tokens : 1;
        };
    }

    /** Prediction modules in use. */
    int modules() {
        return method == Method.MTP ? Math.max(1, Math.min(layers, tokens)) : 1;
    }

    /** Tokens behind its own that the last module of several reads. */
    public int draftReach() {
        return modules() > 1 ? tokens - 1 : 0;
    }

    boolean isDynamic() {
        return !byBatchSize.isEmpty();
    }

    /** Drafts after a step of so many requests. */
    int tokensFor(int requests) {
        int drafts = tokens;
        for (Range range : byBatchSize) {
            if (requests >= range.from()) {
                drafts = Math.min(tokens, range.tokens());
            }
        }
        return drafts;
    }
}
