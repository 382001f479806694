package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A paged KV cache with reference-counted sharing. Prefixes are found by the keys of their blocks. Blocks without
 * references stay cached until they are evicted, in the order of their release.
 */
public final class PagedBlocks {
    /** The copies of most steps; must not be modified. */
    private static final IntList NO_COPIES = new IntList();

    private final KvLayout layout;
    private final BlockPool pool;
    private final List<GroupCache> groups = new ArrayList<>();
    private final PrefixLookup lookup;
    private final Match match;
    private final Match nothing;
    private final IntList freed = new IntList();
    /** Block size if the only group is full attention, otherwise 0. */
    private final int onlyBlock;

    private final int unit;
    /** Whether the keys of a request without shared tokens can stay hidden. */
    private final boolean hidesKeys;

    private int holders;
    private boolean isFastPathDisabled;

    public PagedBlocks(KvLayout layout) {
        this.layout = layout;
        pool = new BlockPool(layout);
        for (int i = 0; i < layout.groups().size(); i++) {
            groups.add(GroupCache.of(layout, i, pool));
        }
        lookup = new PrefixLookup(layout, groups, pool);
        onlyBlock =
                groups.size() == 1 && groups.get(0).group.isFull() && layout.draftReach() == 0 ? groups.get(0).size : 0;
        unit = layout.unit();
        hidesKeys = layout.draftReach() == 0
                && !layout.matchesParts()
                && groups.stream().allMatch(group -> group.group.kind() != KvGroup.Kind.MAMBA && group.size == unit);
        match = new Match(groups.size());
        nothing = new Match(groups.size());
    }

    /** Protects blocks of some requests from eviction. */
    public void retain(CacheRetention settings) {
        pool.retain(settings);
    }

    /**
     * Reports the blocks that lookups can find from now on; only the blocks of the group with full attention, if there
     * is one.
     */
    public void watch(CacheEvents events) {
        GroupCache watched =
                groups.stream().filter(its -> its.group.isFull()).findFirst().orElse(groups.get(0));
        events.begins(watched.size, unit);
        pool.keys().watch(watched.id, events);
    }

    /** Disables the fast path that skips steps without changes. */
    public void disableFastPath() {
        isFastPathDisabled = true;
    }

    public KvLayout layout() {
        return layout;
    }

    /** Returns a new entry without blocks for a request. */
    public RequestBlocks open(RequestSpec spec) {
        return new RequestBlocks(spec, layout);
    }

    /** Continues a request as a longer one with the same leading tokens, which takes over its blocks. */
    public void extend(RequestBlocks requestBlocks, RequestSpec longer) {
        requestBlocks.extend(longer, layout);
    }

    /** Declares that no other request has the tokens of a request without blocks. */
    public void alone(RequestBlocks requestBlocks) {
        requestBlocks.isUnique = hidesKeys;
    }

    /** Makes the keys of a request available, before another request looks them up. */
    public void show(RequestBlocks requestBlocks) {
        if (requestBlocks.isUnique) {
            groups.forEach(group -> group.show(requestBlocks));
            requestBlocks.isUnique = false;
        }
    }

    /** Returns true if the only group is full attention, so that a running request never drops a block. */
    public boolean isPlain() {
        return onlyBlock > 0;
    }

    /** Returns the number of free blocks, including cached ones. */
    public int free() {
        return pool.free();
    }

    /** Returns the number of blocks with a key. */
    public int keyedBlocks() {
        return pool.keys().keyedBlocks();
    }

    /** Returns the free blocks in the order of allocation. */
    public IntList queue() {
        return pool.queue();
    }

    /** Returns the cached blocks that were evicted since the start of the step, in order. */
    public IntList evicted() {
        return pool.evicted();
    }

    /** Removes the keys of the blocks of a request from a position on. The layout has one group. */
    public void dropKeys(RequestBlocks requestBlocks, int from) {
        IntList blocks = requestBlocks.blocks(0);
        for (int i = from; i < blocks.size(); i++) {
            if (layout.caches() && pool.keys().isKeyed(blocks.get(i))) {
                pool.keys().drop(blocks.get(i));
            }
        }
    }

    /** Clears the state of the last step. */
    public void beginStep() {
        pool.evicted().clear();
        groups.forEach(GroupCache::beginStep);
    }

    /** Looks up the longest cached prefix of a sequence of {@code known} tokens. */
    public Match find(RequestBlocks requestBlocks, int known) {
        match.clear();
        if (layout.caches()
                && !requestBlocks.isUnique
                && requestBlocks.spec().identity().readsCache()) {
            // at least one token must be computed, because sampling needs its output
            lookup.find(requestBlocks, Math.min(known - 1, keyed(known)), keyed(known), match);
        }
        return match;
    }

    /** Returns the leading tokens of {@code known} ones that keys cover. */
    private int keyed(int known) {
        return Math.max(known - layout.keyedAhead(), 0) / unit * unit;
    }

    /** Truncates the last match to {@code tokens}, which must end a block of every group. */
    public void cutMatch(int tokens) {
        match.tokens(tokens);
        for (GroupCache group : groups) {
            match.blocks(group.id).truncate(tokens / group.size);
        }
    }

    /** Clears the match, for a start without a prefix. */
    public Match noMatch() {
        match.clear();
        return match;
    }

    /** Returns a length at which some layers had a hit in the last lookup and others had not, or 0. */
    public int sharedBoundary(RequestBlocks requestBlocks) {
        return requestBlocks.sharedBoundary;
    }

    /**
     * Allocates the blocks of a step, including the match before them. Returns false without any change if they are not
     * available.
     */
    public boolean grow(RequestBlocks requestBlocks, BlockAllocation ask) {
        if (isQuiet(requestBlocks, ask) && !ask.mustFitWhole && ask.external == 0 && match.tokens() == 0) {
            // most decode steps: no block is needed, dropped or filled
            requestBlocks.isQuiet = true;
            return true;
        }
        requestBlocks.isQuiet = false;
        boolean isGiven = growOrFail(requestBlocks, ask);
        noteQuiet(requestBlocks, ask.computed - ask.inFlight);
        return isGiven;
    }

    /**
     * {@link #grow} for one more token of a running request without drafts in a {@link #isPlain plain} cache: it
     * allocates a block or offers one, or both, and drops none.
     */
    public boolean growByOne(RequestBlocks requestBlocks, int computed, int known) {
        GroupCache group = groups.get(0);
        BlockTable table = requestBlocks.table(0);
        table.handedOut = table.length();
        requestBlocks.isQuiet = false;
        if (computed + 1 > requestBlocks.room) {
            if (pool.free() == 0) {
                return false;
            }
            table.blocks.add(pool.take());
            requestBlocks.room = group.room(requestBlocks);
        }
        int tokens = Math.min(computed + 1, known);
        if (tokens >= requestBlocks.nextOffer && layout.caches()) {
            requestBlocks.known = known;
            group.offer(requestBlocks, tokens);
            requestBlocks.nextOffer = group.nextOffer(requestBlocks);
        }
        return true;
    }

    private static boolean isQuiet(RequestBlocks requestBlocks, BlockAllocation ask) {
        int main = ask.computed + ask.scheduled;
        return main + ask.lookahead <= requestBlocks.room
                && ask.computed - ask.inFlight < requestBlocks.nextDrop
                && Math.min(main, ask.known) < requestBlocks.nextOffer;
    }

    /**
     * Records up to which token nothing changes. If there is more than one group, only after the prompt is processed
     * and offered, with the part of a block at its end.
     */
    private void noteQuiet(RequestBlocks requestBlocks, int processed) {
        int settled = processed - layout.draftReach();
        boolean isOffered = settled - settled % layout.alignment() >= requestBlocks.promptTokens();
        boolean isKnown = onlyBlock > 0 || (isOffered && settled > requestBlocks.promptTokens());
        int far = requestBlocks.isOpen && isKnown && !isFastPathDisabled ? Integer.MAX_VALUE : 0;
        requestBlocks.room = far;
        requestBlocks.nextDrop = far;
        requestBlocks.nextOffer = far;
        for (int i = 0; i < groups.size() && far > 0; i++) {
            GroupCache group = groups.get(i);
            requestBlocks.room = Math.min(requestBlocks.room, group.room(requestBlocks));
            requestBlocks.nextDrop = Math.min(requestBlocks.nextDrop, group.nextDrop(requestBlocks, processed));
            requestBlocks.nextOffer = Math.min(requestBlocks.nextOffer, group.nextOffer(requestBlocks));
        }
    }

    /**
     * Returns the number of computed tokens from which a request that decodes one token per step needs another growth.
     *
     * @param inFlight tokens of the request that are not processed, and unknown, when a step is planned
     */
    public long nextAllocation(RequestBlocks requestBlocks, int inFlight) {
        return Math.min(
                requestBlocks.room, Math.min((long) requestBlocks.nextDrop, requestBlocks.nextOffer - 1L) + inFlight);
    }

    /** Returns the maximum number of free blocks that a step of one token takes. */
    public int maxBlocksTaken(RequestBlocks requestBlocks, int computed) {
        if (isPlain()) {
            return computed + 1 > requestBlocks.room ? 1 : 0;
        }
        int max = 0;
        for (GroupCache group : groups) {
            max += Math.max(0, group.need(requestBlocks, nothing, computed, computed + 1, computed + 1, false));
        }
        return max;
    }

    private boolean growOrFail(RequestBlocks requestBlocks, BlockAllocation ask) {
        requestBlocks.known = ask.known;
        int max = layout.maxModelLen();
        int start = Math.min(ask.computed + match.tokens() + ask.external, max);
        int main = start + ask.scheduled;
        int slots = Math.min(main + ask.lookahead, max);
        int whole = Math.min(ask.known, max);
        if (ask.mustFitWhole && need(requestBlocks, match, start, whole, whole, true) + ask.watermark > pool.free()) {
            return false;
        }
        int processed = Math.max(0, start - ask.inFlight);
        for (GroupCache group : groups) {
            group.drop(requestBlocks, processed);
        }
        if (need(requestBlocks, match, start, slots, main, false) + ask.watermark > pool.free() - ask.reserved) {
            return false;
        }
        give(requestBlocks, ask, start, slots, main);
        if (layout.caches() && !ask.isDelayed) {
            offer(requestBlocks, Math.min(main, ask.known), ask.known);
        }
        return true;
    }

    private void give(RequestBlocks requestBlocks, BlockAllocation ask, int start, int slots, int main) {
        for (int i = 0; i < groups.size(); i++) {
            requestBlocks.table(i).handedOut = requestBlocks.table(i).length();
        }
        if ((ask.external > 0 || match.hasBlocks()) && !isOffered(requestBlocks)) {
            for (GroupCache group : groups) {
                group.adopt(requestBlocks.table(group.id), match, start);
            }
            for (GroupCache group : groups) {
                group.receive(requestBlocks.table(group.id), start, ask.external);
            }
        }
        for (GroupCache group : groups) {
            group.extend(requestBlocks, match, slots, main);
        }
        if (!requestBlocks.isOpen) {
            requestBlocks.isOpen = true;
            holders++;
        }
    }

    private boolean isOffered(RequestBlocks requestBlocks) {
        for (int i = 0; i < groups.size(); i++) {
            if (requestBlocks.table(i).offered >= 0) {
                return true;
            }
        }
        return false;
    }

    private long need(RequestBlocks requestBlocks, Match found, int start, int slots, int main, boolean isCapped) {
        long need = 0;
        for (GroupCache group : groups) {
            need += group.need(requestBlocks, found, start, slots, main, isCapped);
        }
        return need;
    }

    /**
     * Returns the blocks that a request still needs until {@code known} tokens are computed.
     *
     * @param ahead positions after them for drafts
     */
    public long needWhole(RequestBlocks requestBlocks, int computed, int known, int ahead) {
        requestBlocks.known = known;
        int whole = Math.min(known, layout.maxModelLen());
        return need(requestBlocks, nothing, computed, whole + ahead, whole, true);
    }

    /** Makes the blocks that are full at {@code tokens} tokens, of {@code known} ones, available for lookups. */
    public void offer(RequestBlocks requestBlocks, int tokens, int known) {
        if (tokens >= requestBlocks.nextOffer && layout.caches()) {
            requestBlocks.known = known;
            for (GroupCache group : groups) {
                group.offer(requestBlocks, tokens);
            }
            if (onlyBlock > 0) {
                noteQuiet(requestBlocks, 0);
            }
        }
    }

    /** Returns the blocks of all attention layers for a step of {@code tokens} tokens. */
    public int blocksOfStep(int tokens) {
        return groups.stream()
                .filter(group -> group.group.kind() != KvGroup.Kind.MAMBA)
                .mapToInt(group -> KvLayout.ceilDiv(tokens, group.size))
                .sum();
    }

    /** Releases the blocks outside every window after {@code processed} tokens are computed. */
    public void dropOutside(RequestBlocks requestBlocks, int processed) {
        for (GroupCache group : groups) {
            group.drop(requestBlocks, Math.max(0, processed));
        }
    }

    /** Releases all blocks of a request, the last ones first. */
    public void release(RequestBlocks requestBlocks) {
        close(requestBlocks);
        for (GroupCache group : groups) {
            freed.clear();
            freed.addReversed(requestBlocks.blocks(group.id));
            pool.release(freed);
            requestBlocks.table(group.id).forget();
        }
    }

    /** Removes all blocks from a request without releasing them; {@link #release(IntList)} does that later. */
    public IntList detach(RequestBlocks requestBlocks) {
        close(requestBlocks);
        IntList blocks = new IntList();
        for (int i = groups.size() - 1; i >= 0; i--) {
            blocks.addReversed(requestBlocks.blocks(i));
            requestBlocks.table(i).forget();
        }
        return blocks;
    }

    /** Releases blocks in this order. */
    public void release(IntList blocks) {
        pool.release(blocks);
    }

    private void mark(RequestBlocks requestBlocks) {
        RetainedBlocks retained = pool.retained();
        if (retained == null) {
            return;
        }
        double until = retained.until(requestBlocks.spec().index());
        for (GroupCache group : groups) {
            IntList blocks = requestBlocks.blocks(group.id);
            for (int i = 0; i < blocks.size(); i++) {
                retained.mark(blocks.get(i), until);
            }
        }
    }

    private void close(RequestBlocks requestBlocks) {
        mark(requestBlocks);
        if (requestBlocks.isOpen) {
            requestBlocks.isOpen = false;
            noteQuiet(requestBlocks, 0);
            holders--;
        }
    }

    /**
     * Returns the copies of this step: source, target, source, ... They are referenced until {@link #release(IntList)}.
     */
    public IntList takeCopies() {
        IntList copies = NO_COPIES;
        for (GroupCache group : groups) {
            if (copies.isEmpty() && !group.copies().isEmpty()) {
                copies = new IntList();
            }
            for (int i = 0; i < group.copies().size(); i++) {
                copies.add(group.copies().get(i));
            }
            group.copies().clear();
        }
        return copies;
    }

    /**
     * Returns the number of leading blocks of a request in a group that all running requests share; 0 without a prefix
     * cache.
     */
    public int commonBlocks(RequestBlocks requestBlocks, int group) {
        KvGroup.Kind kind = groups.get(group).group.kind();
        if (!layout.caches() || (kind != KvGroup.Kind.FULL && kind != KvGroup.Kind.ROLLING_WINDOW)) {
            return 0;
        }
        IntList blocks = requestBlocks.blocks(group);
        int common = 0;
        while (common < blocks.size() && pool.references(blocks.get(common)) == holders) {
            common++;
        }
        return common;
    }

    /** Removes all keys if no request has a block. Returns true if it did. */
    public boolean reset() {
        return pool.reset();
    }
}
