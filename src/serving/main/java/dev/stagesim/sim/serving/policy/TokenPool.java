package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import org.jspecify.annotations.Nullable;

/**
 * Slots of tokens in pages: those of the cache, and those that requests hold beside it.
 *
 * <p>What a request has computed becomes the cache's, in whole pages, as its prompt goes on and when it ends. Slots that
 * the cache has already are free then.
 */
final class TokenPool {
    private final int pageSize;
    private final int total;
    private final @Nullable RadixTree tree;
    private int heldPages;

    TokenPool(SglangSettings settings, int slots) {
        pageSize = settings.pageSize();
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

    /** Free slots. */
    int available() {
        return total - heldPages * pageSize - (tree == null ? 0 : tree.evictable() + tree.locked());
    }

    /** Slots that are free, or would be without the cache. */
    int reachable() {
        return available() + (tree == null ? 0 : tree.evictable());
    }

    /** Evicts as many tokens when not as many are free. */
    void evictFor(int tokens) {
        if (tree != null && available() < tokens) {
            tree.evict(tokens, slots -> {});
        }
    }

    /** The longest prefix of a request that is cached; one token is always computed. */
    RadixTree.@Nullable Found match(SglangRequest request) {
        return tree == null ? null : tree.match(request.key(request.known() - 1));
    }

    /** Tokens, in whole pages. */
    int paged(int tokens) {
        return (tokens + pageSize - 1) / pageSize * pageSize;
    }

    int pageSize() {
        return pageSize;
    }

    /** A request uses what was found and keeps it from eviction. */
    void use(SglangRequest request, RadixTree.Found found) {
        relock(request, found.node());
        hold(request, found.tokens(), found.tokens());
    }

    /** Gives a request slots up to a length. */
    void extend(SglangRequest request, int length) {
        hold(request, length, request.cached);
        requireRoom();
    }

    private void requireRoom() {
        if (available() < 0) {
            throw new IllegalStateException("a step was planned for which there is no memory");
        }
    }

    /** Requests that decode in step get as many pages. */
    void hold(int pages) {
        heldPages += pages;
        requireRoom();
    }

    /** Whether a request needs a page for its next token. */
    boolean needsPage(SglangRequest request) {
        return request.allocated % pageSize == 0;
    }

    /** Gives the cache the first tokens of a request, which goes on using them. */
    void share(SglangRequest request, int length, boolean isChunk) {
        if (tree != null) {
            tree.insert(request.key(length), new int[0], 0, isChunk);
            RadixTree.Found found = tree.match(request.key(length));
            relock(request, found.node());
            hold(request, request.allocated, found.tokens());
        }
    }

    /** Gives the cache what a request computed, and frees all else that it held. */
    void finish(SglangRequest request) {
        if (tree != null) {
            tree.insert(request.key(request.known() - 1), new int[0], 0, false);
        }
        drop(request);
    }

    /** Frees what a request holds; what is the cache's can be evicted. */
    void drop(SglangRequest request) {
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
