package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
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

    /** Evicts {@code tokens} tokens if fewer are free. */
    void evictFor(int tokens) {
        if (tree != null && available() < tokens) {
            tree.evict(tokens, slots -> {});
        }
    }

    /** Returns the longest cached prefix of a request; at least one token remains to be computed. */
    RadixTree.@Nullable Found match(SglangRequest request) {
        return tree == null ? null : tree.match(request.key(request.known() - 1));
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
            boolean countsHits = !isChunk || rules.countsHitsOfChunks();
            tree.insert(request.key(length), new int[0], 0, countsHits ? inserted(request) : Integer.MAX_VALUE);
            request.inserted = Math.max(request.inserted, length / pageSize * pageSize);
            RadixTree.Found found = tree.match(request.key(length));
            relock(request, found.node());
            hold(request, request.allocated, found.tokens());
        }
    }

    /** Adds the computed tokens of a request to the cache and frees its other slots. */
    void finish(SglangRequest request) {
        if (tree != null) {
            tree.insert(request.key(request.known() - 1), new int[0], 0, inserted(request));
        }
        drop(request);
    }

    /** Returns the leading tokens whose nodes count no hit, because the request has inserted them before. */
    private int inserted(SglangRequest request) {
        return rules.countsHitsOfChunks() ? request.inserted : 0;
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
        request.allocated = allocated;
        request.cached = cached;
    }

    private int pages(int allocated, int cached) {
        return (paged(allocated) - cached) / pageSize;
    }
}
