package dev.stagesim.sim.serving.request;

import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The continuation of requests: a request continues another if the prompt and the output of that one are a prefix of its
 * prompt.
 */
final class Sessions {
    private final int[] before;
    private final BitSet followed;

    Sessions(RequestTrace trace) {
        before = new int[trace.size()];
        followed = new BitSet(trace.size());
        Arrays.fill(before, -1);
        Map<Long, Integer> byOutput = new LinkedHashMap<>();
        for (int request = 0; request < before.length; request++) {
            Tokens tokens = trace.tokens(request);
            int last = last(trace, request, tokens, byOutput);
            if (last >= 0) {
                before[request] = last;
                followed.set(last);
            }
            byOutput.put(tokens.at(trace.prefillTokens(request)), request);
        }
    }

    /** Returns the request with the longest prompt and output that are a prefix of the prompt. */
    private int last(RequestTrace trace, int request, Tokens tokens, Map<Long, Integer> byOutput) {
        for (int run = tokens.runs() - 1; run > 0; run--) {
            int start = tokens.end(run - 1);
            Integer found = start < trace.prefillTokens(request) ? byOutput.get(tokens.first(run)) : null;
            if (found != null && !followed.get(found) && continues(trace, found, request, start, tokens)) {
                return found;
            }
        }
        return -1;
    }

    private static boolean continues(RequestTrace trace, int from, int request, int start, Tokens tokens) {
        int all = trace.prefillTokens(from) + trace.decodeTokens(from);
        return start == trace.prefillTokens(from)
                && all <= trace.prefillTokens(request)
                && trace.arrivalSeconds(from) <= trace.arrivalSeconds(request)
                && trace.adapter(from) == trace.adapter(request)
                && tokens.common(0, trace.tokens(from), 0, all) == all;
    }

    boolean isEmpty() {
        return followed.isEmpty();
    }

    int before(int request) {
        return before[request];
    }

    boolean hasSuccessor(int request) {
        return followed.get(request);
    }
}
