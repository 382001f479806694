package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.Signals;
import java.util.function.IntPredicate;

/** What a router of scores knows: what it sent and is not done, prefixes, signals, and those it may choose for a request. */
public final class RouterView {
    public final RoutingGroup group;
    public final Prompts prompts;
    public final AvailableInstances members;
    final Signals signals;

    /** Those that may be chosen; the first {@link #count}. */
    public final int[] candidates;

    public int count;
    private final PrefixIndex index;
    private final int[] inFlight;
    private final long[] tokens;

    /** Tokens of the prompt that are to be computed where the request was sent. */
    private final int[] pending;

    private final int[] hits;
    private int lookedUp = -1;
    private boolean isCurrent;

    /** Nothing is known yet; prompts are compared in blocks of so many tokens. */
    public RouterView(RoutingGroup group, int block) {
        this.group = group;
        prompts = group.prompts();
        members = group.members();
        signals = group.signals();
        index = PrefixIndex.ofPrompts(group, block);
        inFlight = new int[group.size()];
        tokens = new long[group.size()];
        hits = new int[group.size()];
        candidates = new int[group.size()];
        pending = new int[prompts.trace().size()];
    }

    /** Looks a request up, with all open instances as candidates. */
    public void lookUp(int request) {
        for (int i = 0; lookedUp >= 0 && i < index.found(); i++) {
            hits[index.instance(i)] = 0;
        }
        index.lookUp(request);
        lookedUp = request;
        isCurrent = true;
        for (int i = 0; i < index.found(); i++) {
            hits[index.instance(i)] = index.blocks(i);
        }
        count = members.count();
        for (int i = 0; i < count; i++) {
            candidates[i] = members.at(i);
        }
    }

    /** Leaves candidates that pass a test. */
    public void keep(IntPredicate test) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (test.test(candidates[i])) {
                candidates[kept++] = candidates[i];
            }
        }
        count = kept;
    }

    /** The share of the blocks of the prompt that an instance has. */
    public double hitShare(int instance) {
        return (double) hits[instance] / index.queriedBlocks();
    }

    public int hitBlocks(int instance) {
        return hits[instance];
    }

    public int hitTokens(int instance) {
        return (int) Math.min(prompts.promptTokens(lookedUp), (long) hits[instance] * index.block());
    }

    public int inFlight(int instance) {
        return inFlight[instance];
    }

    /** Tokens of prompts that an instance is still to compute. */
    public long tokens(int instance) {
        return tokens[instance];
    }

    public double signal(int instance, int kind) {
        return signals.get(instance, kind);
    }

    /** The same where it was not looked up just now. */
    public void ensureLookedUp(int request) {
        if (!isCurrent || lookedUp != request) {
            lookUp(request);
        }
    }

    public void sent(int request, int instance, boolean hasPrompt) {
        ensureLookedUp(request);
        isCurrent = false;
        pending[request] = hasPrompt ? prompts.promptTokens(request) - hitTokens(instance) : 0;
        tokens[instance] += pending[request];
        inFlight[instance]++;
        index.sent(request, instance);
    }

    public void prompted(int request, int instance) {
        tokens[instance] -= pending[request];
        pending[request] = 0;
    }

    public void done(int request, int instance) {
        prompted(request, instance);
        inFlight[instance]--;
    }

    public void opened(int instance) {
        index.forget(instance);
        hits[instance] = 0;
    }
}
