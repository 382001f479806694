package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step of prompts may still take: tokens to compute, and memory, of which a share of the outputs to come is
 * reserved.
 */
final class PrefillBudget {
    /** Outcome for a request, and whether the next one is looked at. */
    enum Verdict {
        CONTINUE,
        NO_MEMORY,
        NO_TOKENS
    }

    /** Outputs longer than this are reserved for as if they were not. */
    private static final int MOST_RESERVED = 4096;

    private final TokenPool pool;
    private final boolean isChunked;
    private double reserved;
    private long taken;
    private int inputs;
    private int chunk;
    private Verdict verdict = Verdict.CONTINUE;

    /**
     * The budget of a step.
     *
     * @param ratio share of the outputs of running requests that is reserved
     * @param decodes running requests that join the step
     */
    PrefillBudget(SglangSettings settings, TokenPool pool, List<SglangRequest> running, double ratio, int decodes) {
        this.pool = pool;
        isChunked = settings.chunkedPrefillSize() > 0;
        chunk = settings.chunkedPrefillSize() - decodes;
        inputs = settings.maxPrefillTokens() - decodes;
        taken = decodes;
        reserved = decodes;
        for (SglangRequest request : running) {
            reserved += outputLeft(request) * ratio;
        }
    }

    private static int outputLeft(SglangRequest request) {
        return Math.min(request.maxNew - request.output(), MOST_RESERVED);
    }

    private double room() {
        return pool.reachable() - reserved;
    }

    /** How many more tokens a prompt that was cut gets: what is left of the step, even when memory is short. */
    int forChunk(SglangRequest request) {
        int room = (int) Math.min(chunk, room());
        int left = request.known() - request.allocated;
        int fits = (int) Math.min(Integer.MAX_VALUE, pool.reachable() - taken) - pool.pageSize();
        return Math.min(Math.min(left, room > 0 ? room : chunk), fits);
    }

    /** Takes what a prompt that was cut gets. */
    void takeChunk(SglangRequest request, int tokens) {
        boolean isLast = request.allocated + tokens == request.known();
        take(tokens, isLast ? Math.min(request.maxNew, MOST_RESERVED) : 0);
    }

    /**
     * Tokens of a waiting request to compute now; 0 when it waits on, and {@link #verdict} says why.
     *
     * @param found its cached prefix
     */
    int forNew(SglangRequest request, RadixTree.@Nullable Found found, boolean isFirst) {
        int tokens = request.known() - (found == null ? 0 : found.tokens());
        int paged = pool.paged(tokens);
        if (tokens + Math.max(0, outputLeft(request)) + pool.pageSize() >= roomBeside(found)) {
            verdict = Verdict.NO_MEMORY;
            return 0;
        }
        verdict = Verdict.NO_TOKENS;
        if (!isChunked) {
            return isFirst || paged < inputs ? tokens : 0;
        }
        return paged <= chunk ? tokens : Math.max(0, chunk / pool.pageSize() * pool.pageSize());
    }

    Verdict verdict() {
        return verdict;
    }

    /** What would be left if the prefix were in use. */
    private double roomBeside(RadixTree.@Nullable Found found) {
        RadixTree tree = pool.tree();
        if (tree == null || found == null) {
            return room();
        }
        tree.lock(found.node());
        double room = room();
        tree.unlock(found.node());
        return room;
    }

    /** Takes what a waiting request gets; tells whether the next one is looked at. */
    Verdict takeNew(SglangRequest request, int tokens, boolean isWhole) {
        take(tokens, isWhole ? Math.min(request.maxNew, MOST_RESERVED) : 0);
        if (room() <= 0 || pool.reachable() - taken <= 0) {
            verdict = Verdict.NO_MEMORY;
        } else {
            verdict = inputs <= 0 || (isChunked && chunk <= 0) ? Verdict.NO_TOKENS : Verdict.CONTINUE;
        }
        return verdict;
    }

    private void take(int tokens, int outputs) {
        int paged = pool.paged(tokens);
        reserved += paged + outputs + pool.pageSize();
        taken += paged + pool.pageSize();
        inputs -= paged;
        chunk -= paged;
    }
}
