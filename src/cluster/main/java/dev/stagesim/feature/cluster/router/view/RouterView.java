package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.Signals;
import java.util.function.IntPredicate;

/**
 * State that scoring routers share: unfinished requests, prefix matches, metrics, and the candidates for the current
 * request.
 */
public final class RouterView {
    public final RoutingGroup group;
    public final Prompts prompts;
    public final AvailableInstances members;
    final Signals signals;

    /** Candidates for the current request; the first {@link #count} are valid. */
    public final int[] candidates;

    public int count;
    private final PrefixIndex index;
    private final int[] inFlight;
    private final long[] tokens;

    /** Prompt tokens to compute, by request. */
    private final int[] pending;

    private final int[] hits;
    private int lookedUp = -1;
    private boolean isCurrent;

    /** Creates the view of an idle group with blocks of {@code block} tokens. */
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

    /** Looks up a request. All open instances become candidates. */
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

    /** Keeps the candidates that match a predicate. */
    public void keep(IntPredicate test) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (test.test(candidates[i])) {
                candidates[kept++] = candidates[i];
            }
        }
        count = kept;
    }

    /** Returns the share of the prompt blocks that an instance has cached. */
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

    /** Returns the prompt tokens that an instance still has to compute. */
    public long tokens(int instance) {
        return tokens[instance];
    }

    public double signal(int instance, int kind) {
        return signals.get(instance, kind);
    }

    /** Looks up a request unless it is the current one. */
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

    public void prefilled(int request, int instance) {
        tokens[instance] -= pending[request];
        pending[request] = 0;
    }

    public void done(int request, int instance) {
        prefilled(request, instance);
        inFlight[instance]--;
    }

    public void opened(int instance) {
        index.forget(instance);
        hits[instance] = 0;
    }
}
