package dev.stagesim.feature.cluster.cache;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.request.UnitKeys;
import java.util.List;

/** Prompt lengths, block keys by content, and sessions of requests. */
public record Prompts(RequestTrace trace) {
    private static final long ADAPTER = 0x2545f4914f6cdd1dL;

    public int promptTokens(int request) {
        return trace.prefillTokens(request);
    }

    /** Returns the keys of the first full blocks. A key identifies its block, all blocks before it, and the adapter. */
    public long[] blocks(int request, int tokens, int size) {
        return keys(request, tokens, size, tokens / size);
    }

    /** Returns the keys of the chunks of a prompt. The last chunk can be partial. */
    public long[] chunks(int request, int size, int limit) {
        int tokens = Math.min(promptTokens(request), limit);
        return keys(request, tokens, size, (tokens + size - 1) / size);
    }

    /** Returns the keys of the full blocks of a prompt as engines compute them. */
    long[] cacheKeys(int request, int size, int unit) {
        RequestSpec spec = new RequestSpec(
                request,
                "",
                promptTokens(request),
                RequestSpec.Output.of(1),
                new RequestSpec.Urgency(0, 0),
                new RequestSpec.Identity(trace.tokens(request), 0, trace.adapter(request), true, List.of()));
        UnitKeys units = new UnitKeys(spec, unit);
        long[] keys = new long[promptTokens(request) / size];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = units.key((i + 1) * size / unit - 1);
        }
        return keys;
    }

    private long[] keys(int request, int tokens, int size, int count) {
        Tokens content = trace.tokens(request);
        long[] keys = new long[count];
        long key = size + ADAPTER * trace.adapter(request);
        int run = 0;
        for (int i = 0; i < keys.length; i++) {
            int end = (int) Math.min(tokens, (i + 1L) * size);
            for (int at = i * size; at < end; at++) {
                while (content.end(run) <= at) {
                    run++;
                }
                long token = content.first(run) + at - (run == 0 ? 0 : content.end(run - 1));
                key = key * 0x5851f42d4c957f2dL + token;
            }
            key = RandomStream.mix(key);
            keys[i] = key;
        }
        return keys;
    }

    /** Returns the session of a request: the first token that is not part of a shared prefix. */
    public long session(int request) {
        return trace.session(request);
    }
}
