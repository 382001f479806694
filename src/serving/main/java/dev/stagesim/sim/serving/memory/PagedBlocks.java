package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A cache in blocks that requests share by reference: prefixes are found by the keys of their blocks, and what nobody
 * refers to stays until its place is needed, least recently released first.
 */
public final class PagedBlocks {
    /** What most steps copy; nobody adds to it. */
    private static final IntList NO_COPIES = new IntList();

    private final KvLayout layout;
    private final BlockPool pool;
    private final List<GroupCache> groups = new ArrayList<>();
    private final PrefixLookup lookup;
    private final Match match;
    private final Match nothing;
    private final IntList freed = new IntList();
    /** Block size of the only group where that is full attention, else 0. */
    private final int onlyBlock;

    private final int unit;

    private int holders;
    private boolean asksAlways;

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
        match = new Match(groups.size());
        nothing = new Match(groups.size());
    }

    /** Keeps what some requests leave from giving way. */
    public void retain(CacheRetention settings) {
        pool.retain(settings);
    }

    /** Tells which blocks can be found from now on: those of full attention where there are such. */
    public void watch(CacheEvents events) {
        GroupCache watched =
                groups.stream().filter(its -> its.group.isFull()).findFirst().orElse(groups.get(0));
        events.begins(watched.size, unit);
        pool.keys().watch(watched.id, events);
    }

    /** Looks at every step of every request, also where it is known that nothing happens. */
    public void askAlways() {
        asksAlways = true;
    }

    public KvLayout layout() {
        return layout;
    }

    /** An empty holding for a request. */
    public Holding open(RequestSpec spec) {
        return new Holding(spec, unit, groups.size());
    }

    /** A request goes on as another one, whose tokens begin with its own, and keeps its blocks. */
    public void extend(Holding holding, RequestSpec longer) {
        holding.extend(longer, unit);
    }

    /** Notes that nobody else has tokens of a request that holds nothing yet. */
    public void alone(Holding holding) {
        holding.isAlone = onlyBlock > 0;
    }

    /** A request will look for what it holds now. */
    public void show(Holding holding) {
        if (holding.isAlone) {
            groups.get(0).show(holding);
            holding.isAlone = false;
        }
    }

    /** Whether its only group is full attention, so that a request lets go of no block while it runs. */
    public boolean isPlain() {
        return onlyBlock > 0;
    }

    /** Free blocks, cached ones included. */
    public int free() {
        return pool.free();
    }

    /** Blocks that carry a key. */
    public int keyedBlocks() {
        return pool.keys().keyedBlocks();
    }

    /** Free blocks in the order in which they will be taken. */
    public IntList queue() {
        return pool.queue();
    }

    /** Blocks that were taken although they could still be found, in order, since the step began. */
    public IntList evicted() {
        return pool.evicted();
    }

    /** Forgets what holds for one step only. */
    public void beginStep() {
        pool.evicted().clear();
        groups.forEach(GroupCache::beginStep);
    }

    /** Looks up the longest cached prefix of a sequence of which {@code known} tokens exist. */
    public Match find(Holding holding, int known) {
        match.clear();
        if (layout.caches() && !holding.isAlone && holding.spec().identity().readsCache()) {
            // One token at least is computed, so that there is something to sample from.
            lookup.find(holding, known - 1, match);
        }
        return match;
    }

    /** Cuts what was found last to {@code tokens}, which end a block of every group. */
    public void cutMatch(int tokens) {
        match.tokens(tokens);
        for (GroupCache group : groups) {
            match.blocks(group.id).truncate(tokens / group.size);
        }
    }

    /** Lets the caller begin without a prefix. */
    public Match noMatch() {
        match.clear();
        return match;
    }

    /** A length at which some layers had a hit in the last lookup and others had not, or 0. */
    public int sharedBoundary(Holding holding) {
        return holding.sharedBoundary;
    }

    /**
     * Gives a request the blocks of a step, the match before them included; false, and nothing given, when they are not
     * there.
     */
    public boolean grow(Holding holding, Growth ask) {
        if (isQuiet(holding, ask) && !ask.mustFitWhole && ask.external == 0 && match.tokens() == 0) {
            // Most decode steps: no block is needed, left behind or filled.
            holding.isQuiet = true;
            return true;
        }
        holding.isQuiet = false;
        boolean isGiven = growOrFail(holding, ask);
        noteQuiet(holding, ask.computed - ask.inFlight);
        return isGiven;
    }

    /**
     * {@link #grow} for one token more of a request that runs without drafts, in a {@link #isPlain plain} cache: it takes a
     * block or offers one, or both, and lets go of none.
     */
    public boolean growByOne(Holding holding, int computed, int known) {
        GroupCache group = groups.get(0);
        BlockTable table = holding.table(0);
        table.handedOut = table.length();
        holding.isQuiet = false;
        if (computed + 1 > holding.room) {
            if (pool.free() == 0) {
                return false;
            }
            table.blocks.add(pool.take());
            holding.room = group.room(holding);
        }
        int tokens = Math.min(computed + 1, known);
        if (tokens >= holding.nextOffer && layout.caches()) {
            group.offer(holding, tokens);
            holding.nextOffer = group.nextOffer(holding);
        }
        return true;
    }

    private static boolean isQuiet(Holding holding, Growth ask) {
        int main = ask.computed + ask.scheduled;
        return main + ask.lookahead <= holding.room
                && ask.computed - ask.inFlight < holding.nextDrop
                && Math.min(main, ask.known) < holding.nextOffer;
    }

    /** Notes how far nothing happens; in other caches than of one group, once the prompt is processed and offered. */
    private void noteQuiet(Holding holding, int processed) {
        boolean isKnown = onlyBlock > 0 || processed - layout.draftReach() > holding.promptTokens();
        int far = holding.isOpen && isKnown && !asksAlways ? Integer.MAX_VALUE : 0;
        holding.room = far;
        holding.nextDrop = far;
        holding.nextOffer = far;
        for (int i = 0; i < groups.size() && far > 0; i++) {
            GroupCache group = groups.get(i);
            holding.room = Math.min(holding.room, group.room(holding));
            holding.nextDrop = Math.min(holding.nextDrop, group.nextDrop(holding, processed));
            holding.nextOffer = Math.min(holding.nextOffer, group.nextOffer(holding));
        }
    }

    /**
     * Computed tokens from which on a request that decodes one token in each step has to ask again after a growth.
     *
     * @param inFlight tokens of it that are not processed when a step is planned, nor known
     */
    public long nextAsk(Holding holding, int inFlight) {
        return Math.min(holding.room, Math.min((long) holding.nextDrop, holding.nextOffer - 1L) + inFlight);
    }

    /** Free blocks that a step of one token takes, at most. */
    public int mayTake(Holding holding, int computed) {
        if (isPlain()) {
            return computed + 1 > holding.room ? 1 : 0;
        }
        int most = 0;
        for (GroupCache group : groups) {
            most += Math.max(0, group.need(holding, nothing, computed, computed + 1, computed + 1, false));
        }
        return most;
    }

    private boolean growOrFail(Holding holding, Growth ask) {
        int most = layout.maxModelLen();
        int start = Math.min(ask.computed + match.tokens() + ask.external, most);
        int main = start + ask.scheduled;
        int slots = Math.min(main + ask.lookahead, most);
        int whole = Math.min(ask.known, most);
        if (ask.mustFitWhole && need(holding, match, start, whole, whole, true) + ask.watermark > pool.free()) {
            return false;
        }
        int processed = Math.max(0, start - ask.inFlight);
        for (GroupCache group : groups) {
            group.drop(holding, processed);
        }
        if (need(holding, match, start, slots, main, false) + ask.watermark > pool.free() - ask.reserved) {
            return false;
        }
        give(holding, ask, start, slots, main);
        if (layout.caches() && !ask.isDelayed) {
            offer(holding, Math.min(main, ask.known));
        }
        return true;
    }

    private void give(Holding holding, Growth ask, int start, int slots, int main) {
        for (int i = 0; i < groups.size(); i++) {
            holding.table(i).handedOut = holding.table(i).length();
        }
        if ((ask.external > 0 || match.hasBlocks()) && !isOffered(holding)) {
            for (GroupCache group : groups) {
                group.adopt(holding.table(group.id), match, start);
            }
            for (GroupCache group : groups) {
                group.receive(holding.table(group.id), start, ask.external);
            }
        }
        for (GroupCache group : groups) {
            group.extend(holding, match, slots, main);
        }
        if (!holding.isOpen) {
            holding.isOpen = true;
            holders++;
        }
    }

    private boolean isOffered(Holding holding) {
        for (int i = 0; i < groups.size(); i++) {
            if (holding.table(i).offered >= 0) {
                return true;
            }
        }
        return false;
    }

    private long need(Holding holding, Match found, int start, int slots, int main, boolean isCapped) {
        long need = 0;
        for (GroupCache group : groups) {
            need += group.need(holding, found, start, slots, main, isCapped);
        }
        return need;
    }

    /** Blocks that a request still has to get before {@code known} tokens are computed. */
    public long needWhole(Holding holding, int computed, int known) {
        int whole = Math.min(known, layout.maxModelLen());
        return need(holding, nothing, computed, whole, whole, true);
    }

    /** Makes what is full at {@code tokens} known tokens findable. */
    public void offer(Holding holding, int tokens) {
        if (tokens >= holding.nextOffer && layout.caches()) {
            int known = Math.max(0, tokens - layout.draftReach());
            for (GroupCache group : groups) {
                group.offer(holding, known);
            }
            if (onlyBlock > 0) {
                noteQuiet(holding, 0);
            }
        }
    }

    /** Lets go of what lies outside every window once {@code processed} tokens are computed. */
    public void dropOutside(Holding holding, int processed) {
        for (GroupCache group : groups) {
            group.drop(holding, Math.max(0, processed));
        }
    }

    /** Lets go of everything, the deepest blocks first. */
    public void release(Holding holding) {
        close(holding);
        for (GroupCache group : groups) {
            freed.clear();
            addReversed(holding.blocks(group.id), freed);
            pool.release(freed);
            holding.table(group.id).forget();
        }
    }

    /** Takes everything from a holding without freeing it; {@link #release(IntList)} does that later. */
    public IntList detach(Holding holding) {
        close(holding);
        IntList blocks = new IntList();
        for (int i = groups.size() - 1; i >= 0; i--) {
            addReversed(holding.blocks(i), blocks);
            holding.table(i).forget();
        }
        return blocks;
    }

    /** Frees blocks in this order. */
    public void release(IntList blocks) {
        pool.release(blocks);
    }

    private void mark(Holding holding) {
        RetainedBlocks retained = pool.retained();
        if (retained == null) {
            return;
        }
        double until = retained.until(holding.spec().index());
        for (GroupCache group : groups) {
            IntList blocks = holding.blocks(group.id);
            for (int i = 0; i < blocks.size(); i++) {
                retained.mark(blocks.get(i), until);
            }
        }
    }

    private void close(Holding holding) {
        mark(holding);
        if (holding.isOpen) {
            holding.isOpen = false;
            noteQuiet(holding, 0);
            holders--;
        }
    }

    private static void addReversed(IntList from, IntList to) {
        for (int i = from.size() - 1; i >= 0; i--) {
            to.add(from.get(i));
        }
    }

    /** The copies of this step, as source, target, source, ...; they are held until {@link #release(IntList)}. */
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

    /** Leading blocks of a request in a group that everybody who holds blocks shares; none without a prefix cache. */
    public int commonBlocks(Holding holding, int group) {
        KvGroup.Kind kind = groups.get(group).group.kind();
        if (!layout.caches() || (kind != KvGroup.Kind.FULL && kind != KvGroup.Kind.ROLLING_WINDOW)) {
            return 0;
        }
        IntList blocks = holding.blocks(group);
        int common = 0;
        while (common < blocks.size() && pool.references(blocks.get(common)) == holders) {
            common++;
        }
        return common;
    }

    /** Forgets every key when no request holds a block; returns whether that was so. */
    public boolean reset() {
        return pool.reset();
    }
}
