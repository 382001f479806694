package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The remaining budget of a prefill step: tokens to compute, and memory, less the reserved share of the future outputs. */
final class PrefillBudget {
    /** The result for a request, which decides whether the next one is considered. */
    enum Verdict {
        CONTINUE,
        NO_MEMORY,
        NO_TOKENS
    }

    /** Maximum output length for the reservation. */
    static final int MAX_RESERVED = 4096;

    private final SglangSettings settings;
    private final TokenPool pool;
    private final List<SglangRequest> running;
    private final boolean isChunked;

    /** The outputs of all requests, or null as long as none is admitted by a forecast. */
    private @Nullable MemoryUntilEnds ends;

    private double reserved;
    private long taken;
    private int inputs;
    private int chunk;
    private Verdict verdict = Verdict.CONTINUE;

    /**
     * Creates the budget of a step.
     *
     * @param ratio reserved share of the outputs of running requests
     * @param decodes running requests that join the step
     */
    PrefillBudget(SglangSettings settings, TokenPool pool, List<SglangRequest> running, double ratio, int decodes) {
        this.settings = settings;
        this.pool = pool;
        this.running = running;
        isChunked = settings.chunkedPrefillSize() > 0;
        chunk = settings.chunkedPrefillSize() - decodes;
        inputs = settings.maxPrefillTokens() - decodes;
        taken = decodes;
        reserved = decodes;
        double share =
                settings.rules().has(SglangRule.RESERVES_FIXED_OUTPUTS) && settings.maxNewTokens() == 0 ? 1 : ratio;
        for (SglangRequest request : running) {
            reserved += outputLeft(request) * share;
        }
    }

    /** Returns true if no tokens are left although memory is. */
    boolean isSpent() {
        return rest() == Verdict.NO_TOKENS;
    }

    private static int outputLeft(SglangRequest request) {
        return Math.min(request.maxNew - request.output(), MAX_RESERVED);
    }

    private double room() {
        return pool.reachable() - reserved;
    }

    /** Returns the next tokens of a chunked prompt: up to the rest of the step, even if memory is short. */
    int forChunk(SglangRequest request, List<SglangRequest> waiting) {
        int room = (int) Math.min(chunk, room());
        int left = request.known() - request.allocated;
        int fits = (int) Math.min(Integer.MAX_VALUE, pool.reachable() - taken) - pool.pageSize();
        int limit = Math.min(room > 0 ? room : chunk, chunk - reservedForShorter(waiting, left));
        return Math.min(Math.min(left, limit), fits);
    }

    /** Returns the tokens of the step that a chunked prompt with {@code left} tokens leaves to shorter prompts. */
    private int reservedForShorter(List<SglangRequest> waiting, int left) {
        if (settings.order() != SchedulePolicy.SHORTEST_PREFILL_FIRST || chunk < 2 * pool.pageSize()) {
            return 0;
        }
        int sum = 0;
        for (SglangRequest request : waiting) {
            int paged = pool.paged(request.work);
            if (request.work >= left || sum + paged > chunk - pool.pageSize()) {
                break;
            }
            sum += paged;
        }
        return sum == 0 ? 0 : chunk - (chunk - sum) / pool.pageSize() * pool.pageSize();
    }

    /** Allocates the next tokens of a chunked prompt. */
    void takeChunk(SglangRequest request, int tokens) {
        boolean isLast = request.allocated + tokens == request.known();
        take(tokens, isLast ? Math.min(request.maxNew, MAX_RESERVED) : 0);
    }

    /**
     * Returns the tokens of a waiting request to compute now, or 0 if it must wait; {@link #verdict} contains the reason.
     *
     * @param found its cached prefix
     * @param admitted the requests of the step
     * @param hasChunk whether a prompt is chunked that does not end in the step
     */
    int forNew(
            SglangRequest request, RadixTree.@Nullable Found found, List<SglangStep.Part> admitted, boolean hasChunk) {
        if (pool.tree() == null
                && settings.rules().has(SglangRule.FORECASTS_FIXED_OUTPUTS)
                && settings.maxNewTokens() == 0) {
            return forFixed(request, admitted);
        }
        int tokens = request.known() - (found == null ? 0 : found.tokens());
        int paged = pool.paged(tokens);
        if (tokens + Math.max(0, outputLeft(request)) + pool.pageSize() >= roomBeside(found)) {
            verdict = Verdict.NO_MEMORY;
            return 0;
        }
        verdict = Verdict.NO_TOKENS;
        if (!isChunked) {
            return admitted.isEmpty() || paged < inputs ? tokens : 0;
        }
        if (paged > chunk && hasChunk && settings.order() == SchedulePolicy.SHORTEST_PREFILL_FIRST) {
            return 0;
        }
        return paged <= chunk ? tokens : Math.max(0, chunk / pool.pageSize() * pool.pageSize());
    }

    /** Returns the tokens of a request of fixed length to compute now if all requests can run to their ends. */
    private int forFixed(SglangRequest request, List<SglangStep.Part> admitted) {
        int tokens = request.known();
        int needed = pool.paged(tokens) + pool.pageSize();
        long free = pool.reachable() - taken;
        verdict = Verdict.NO_MEMORY;
        if (needed > Math.min(free, room())) {
            return 0;
        }
        if (ends == null) {
            ends = new MemoryUntilEnds(request, running, admitted);
        } else {
            ends.add(request);
        }
        if (!ends.fit(free - needed)) {
            return 0;
        }
        verdict = Verdict.NO_TOKENS;
        return isChunked ? Math.min(tokens, Math.max(0, chunk)) : tokens;
    }

    Verdict verdict() {
        return verdict;
    }

    /** Returns the memory that would remain with the prefix in use. */
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

    /** Allocates the tokens of a waiting request. Returns whether the next one is considered. */
    Verdict takeNew(SglangRequest request, int tokens, boolean isWhole) {
        take(tokens, isWhole ? Math.min(request.maxNew, MAX_RESERVED) : 0);
        verdict = rest();
        return verdict;
    }

    /** Returns which part of the budget is spent, memory first. */
    private Verdict rest() {
        if (room() <= 0 || pool.reachable() - taken <= 0) {
            return Verdict.NO_MEMORY;
        }
        return inputs <= 0 || (isChunked && chunk <= 0) ? Verdict.NO_TOKENS : Verdict.CONTINUE;
    }

    private void take(int tokens, int outputs) {
        int paged = pool.paged(tokens);
        reserved += paged + outputs + pool.pageSize();
        taken += paged + pool.pageSize();
        inputs -= paged;
        chunk -= paged;
    }

    /** A forecast of the memory at the end of each request of fixed length, if all of them take a token per step. */
    private static final class MemoryUntilEnds {
        /**
         * A request.
         *
         * @param left its remaining output tokens
         * @param held tokens that it frees when it ends
         */
        private record End(int left, int held) {}

        private final List<End> ends = new ArrayList<>();

        MemoryUntilEnds(SglangRequest candidate, List<SglangRequest> running, List<SglangStep.Part> admitted) {
            append(candidate);
            running.forEach(this::append);
            admitted.forEach(part -> append(part.request()));
            ends.sort(Comparator.comparingInt(End::left));
        }

        private void append(SglangRequest request) {
            End end = of(request);
            if (end.left > 0) {
                ends.add(end);
            }
        }

        private static End of(SglangRequest request) {
            return new End(request.maxNew - request.output(), request.prompt + request.output());
        }

        /** Adds another candidate. The engine puts the longest output before the last one, not after it. */
        void add(SglangRequest candidate) {
            End end = of(candidate);
            if (end.left <= 0) {
                return;
            }
            int place = 0;
            while (place < ends.size() - 1 && end.left > ends.get(place).left) {
                place++;
            }
            ends.add(place, end);
        }

        /** Returns true if at least one token per request remains free at each end, starting from {@code free} tokens. */
        boolean fit(long free) {
            long freed = 0;
            for (int i = 0; i < ends.size(); i++) {
                int requests = ends.size() - i;
                if (free + freed - (long) ends.get(i).left * requests <= requests) {
                    return false;
                }
                freed += ends.get(i).held;
            }
            return true;
        }
    }
}
