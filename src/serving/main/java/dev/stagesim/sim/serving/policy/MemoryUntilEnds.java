package dev.stagesim.sim.serving.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A forecast of the memory at the end of each request of fixed length, if all of them take a token per step. */
final class MemoryUntilEnds {
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
