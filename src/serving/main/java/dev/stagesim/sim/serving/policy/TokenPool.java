package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Token slots in pages, which belong to the cache or to requests.
 *
 * <p>The computed tokens of a request move to the cache, in whole pages, as its prompt proceeds and when it ends. Slots of
 * tokens that are already cached are then free.
 */
final class TokenPool {
    private final int pageSize;
    private final int total;
    private final @Nullable RadixTree tree;
    private final SglangRules rules;
    private int heldPages;
    private int requests;

    TokenPool(SglangSettings settings, int slots) {
        pageSize = settings.pageSize();
        rules = settings.rules();
        total = slots / pageSize * pageSize;
        tree = settings.radixCache() ? new RadixTree(pageSize, settings.eviction()) : null;
    }

    @Nullable
    RadixTree tree() {
        return tree;
    }

    int total() {
        return total;
    }

    /** Returns the number of free slots. */
    int available() {
        return total - heldPages * pageSize - (tree == null ? 0 : tree.evictable() + tree.locked());
    }

    /** Returns the number of slots that are free or evictable. */
    int reachable() {
        return available() + (tree == null ? 0 : tree.evictable());
    }

    /** Returns the number of requests with slots. */
    int requests() {
        return requests;
    }

    /** Evicts tokens if fewer than {@code tokens} are free. */
    void evictFor(int tokens) {
        int missing = tokens - available();
        if (tree != null && missing > 0) {
            tree.evict(rules.has(SglangRule.EVICTS_MISSING_TOKENS) ? missing : tokens, slots -> {});
        }
    }

    /** Returns the longest cached prefix of a request; at least one token remains to be computed. */
    RadixTree.@Nullable Found match(SglangRequest request) {
        return tree == null ? null : tree.match(request.key(request.known() - 1));
    }

    /** Uses the cached prefixes of requests, of the first one last; no effect on evictions that ignore recent uses. */
    void refresh(List<SglangRequest> requests) {
        if (tree != null && tree.evictsLeastRecent()) {
            for (int i = requests.size() - 1; i >= 0; i--) {
                tree.match(requests.get(i).key(requests.get(i).known()));
            }
        }
    }

    /** Returns {@code tokens} rounded up to whole pages. */
    int paged(int tokens) {
        return (tokens + pageSize - 1) / pageSize * pageSize;
    }

    int pageSize() {
        return pageSize;
    }

    /** Assigns a cached prefix to a request and locks it. */
    void use(SglangRequest request, RadixTree.Found found) {
        relock(request, found.node());
        hold(request, found.tokens(), found.tokens());
    }

    /** Allocates slots of a request up to a length. */
    void extend(SglangRequest request, int length) {
        hold(request, length, request.cached);
        requireRoom();
    }

    private void requireRoom() {
        if (available() < 0) {
            throw new IllegalStateException("the planned step exceeds the memory");
        }
    }

    /** Allocates {@code pages} pages for requests in lockstep. */
    void hold(int pages) {
        heldPages += pages;
        requireRoom();
    }

    /** Returns true if a request needs a page for its next token. */
    boolean needsPage(SglangRequest request) {
        return request.allocated % pageSize == 0;
    }

    /** Adds the first tokens of a request to the cache; the request continues to use them. */
    void share(SglangRequest request, int length, boolean isChunk) {
        if (tree != null) {
            boolean countsHits = !isChunk || rules.has(SglangRule.COUNTS_HITS_OF_CHUNKS);
            insert(tree, request, length, countsHits ? inserted(request) : Integer.MAX_VALUE);
            request.inserted = Math.max(request.inserted, length / pageSize * pageSize);
            RadixTree.Found found = tree.match(request.key(length));
            relock(request, found.node());
            hold(request, request.allocated, found.tokens());
        }
    }

    /** Adds the computed tokens of a request to the cache and frees its other slots. */
    void finish(SglangRequest request) {
        if (tree != null) {
            int computed = rules.has(SglangRule.CACHES_LAST_OUTPUTS)
                    ? Math.min(request.known(), request.allocated)
                    : request.known() - 1;
            insert(tree, request, computed, inserted(request));
        }
        drop(request);
    }

    private void insert(RadixTree cache, SglangRequest request, int length, int inserted) {
        cache.insert(request.key(length), new int[0], 0, inserted);
        int prompt = request.prompt / pageSize;
        if (rules.has(SglangRule.SPLITS_AT_PROMPTS) && prompt > 0 && prompt < length / pageSize) {
            cache.insert(request.key(request.prompt), new int[0], 1, request.prompt);
        }
    }

    /** Returns the leading tokens whose nodes count no hit, because the request has inserted them before. */
    private int inserted(SglangRequest request) {
        return rules.has(SglangRule.COUNTS_HITS_OF_CHUNKS) ? request.inserted : 0;
    }

    /** Releases a request's tokens; cached tokens become evictable. */
    void drop(SglangRequest request) {
        request.inserted = 0;
        relock(request, null);
        hold(request, 0, 0);
    }

    private void relock(SglangRequest request, RadixTree.@Nullable Node node) {
        if (tree != null) {
            if (node != null) {
                tree.lock(node);
            }
            if (request.node != null) {
                tree.unlock(request.node);
            }
            request.node = node;
        }
    }

    private void hold(SglangRequest request, int allocated, int cached) {
        heldPages += pages(allocated, cached) - pages(request.allocated, request.cached);
        requests += Integer.signum(allocated) - Integer.signum(request.allocated);
        request.allocated = allocated;
        request.cached = cached;
    }

    private int pages(int allocated, int cached) {
        return (paged(allocated) - cached) / pageSize;
    }
}
