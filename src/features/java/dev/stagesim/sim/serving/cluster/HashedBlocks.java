package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.FreeBlocks;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The block cache of BLIS: blocks found again by the chained hash of their tokens, and a CPU tier that mirrors them.
 *
 * <p>Kept as in BLIS: the index entry of a taken block goes even if a later block holds the same tokens, what comes back
 * from the CPU tier is computed all the same, and a prompt that is found whole claims no blocks.
 */
final class HashedBlocks {
    private static final int[] NO_HITS = new int[0];

    private final BlisEngine engine;
    private final BlockChains chains;
    private final FreeBlocks free;
    private final int[] references;
    private final int[] keys;
    private final int[] filled;
    private final long[][] tokens;
    private final Map<Integer, Integer> index = new LinkedHashMap<>();
    private final Map<BlisRequest, IntList> owned = new LinkedHashMap<>();
    private final LinkedHashSet<Integer> mirror = new LinkedHashSet<>();
    private long pendingReload;
    private long hitBlocks;
    private long newBlocks;
    private long refused;
    private long mirrored;
    private long evicted;

    HashedBlocks(BlisEngine engine, BlockChains chains) {
        this.engine = engine;
        this.chains = chains;
        free = new FreeBlocks(engine.blocks());
        references = new int[engine.blocks()];
        keys = new int[engine.blocks()];
        filled = new int[engine.blocks()];
        tokens = new long[engine.blocks()][];
    }

    int used() {
        return engine.blocks() - free.size();
    }

    double utilization() {
        return used() / (double) engine.blocks();
    }

    double hitRate() {
        long all = hitBlocks + newBlocks + refused;
        return all == 0 ? 0 : hitBlocks / (double) all;
    }

    double thrashingRate() {
        return mirrored == 0 ? 0 : evicted / (double) mirrored;
    }

    long takePendingReload() {
        long pending = pendingReload;
        pendingReload = 0;
        return pending;
    }

    /** The keys that can be found now. */
    Set<Integer> findable() {
        return new LinkedHashSet<>(index.keySet());
    }

    int cached(int[] chain) {
        return cached(chain, index.keySet());
    }

    /** Blocks of a chain that are found, from its start on. */
    static int cached(int[] chain, Set<Integer> findable) {
        int count = 0;
        while (count < chain.length && findable.contains(chain[count])) {
            count++;
        }
        return count;
    }

    int[] hits(BlisRequest request) {
        int[] chain = request.chain(chains);
        int[] hits = new int[cached(chain)];
        Arrays.setAll(hits, i -> index.getOrDefault(chain[i], 0));
        return hits;
    }

    boolean allocate(BlisRequest request, int start, int end) {
        return allocate(request, start, end, NO_HITS);
    }

    /** Takes blocks for tokens {@code start} to {@code end} of a request behind its hits; false changes nothing but the tier. */
    boolean allocate(BlisRequest request, int start, int end, int[] hits) {
        if (engine.cpuBlocks() == 0) {
            return take(request, start, end, hits);
        }
        if (!reload(request, hits)) {
            boolean done = take(request, start, end, hits);
            refused += done ? 0 : 1;
            return done;
        }
        int[] found = hits(request);
        int behind = found.length * engine.blockSize();
        if (behind <= start) {
            return take(request, start, end, hits);
        }
        int from = owned.containsKey(request) ? blocks(start) : 0;
        if (behind >= end) {
            claim(request, found, from, Math.min(blocks(end), found.length));
            return true;
        }
        claim(request, found, from, found.length);
        return take(request, behind, end, found);
    }

    private int blocks(int count) {
        return (count + engine.blockSize() - 1) / engine.blockSize();
    }

    /** Brings back what the CPU tier has behind the blocks of a request; whether anything came. */
    private boolean reload(BlisRequest request, int[] hits) {
        int start = hits.length;
        int parent = start > 0 ? keys[hits[start - 1]] : BlockChains.NONE;
        IntList own = owned.get(request);
        if (own != null && own.size() > start) {
            start = own.size();
            parent = keys[own.get(start - 1)];
        }
        int most = free.size();
        int count = 0;
        long[] prompt = request.spec().prompt();
        for (int i = start; i < prompt.length / engine.blockSize(); i++) {
            int key = chains.number(parent, prompt, i * engine.blockSize());
            if (!index.containsKey(key)) {
                if (!mirror.contains(key) || count >= most) {
                    break;
                }
                bringBack(key);
                count++;
            }
            parent = key;
        }
        return count > 0;
    }

    private void bringBack(int key) {
        int block = pop();
        keys[block] = key;
        filled[block] = engine.blockSize();
        index.put(key, block);
        free.append(block);
        pendingReload += engine.cpuBaseUs() + (long) Math.ceil(engine.blockSize() / engine.cpuTokensPerUs());
        mirror.remove(key);
        mirror.add(key);
    }

    private void claim(BlisRequest request, int[] hits, int from, int to) {
        if (from >= to) {
            return;
        }
        IntList own = owned.computeIfAbsent(request, unseen -> new IntList());
        for (int i = from; i < to; i++) {
            if (references[hits[i]]++ == 0) {
                free.remove(hits[i]);
            }
            hitBlocks++;
            own.add(hits[i]);
        }
    }

    private boolean take(BlisRequest request, int start, int end, int[] hits) {
        @Nullable IntList own = owned.get(request);
        if (request.isInPrompt()) {
            if (!fits(own, end - start, hits)) {
                return false;
            }
            if (end > start && own == null) {
                claim(request, hits, 0, hits.length);
            }
            put(request, request.spec().prompt(), start, end, true);
            return true;
        }
        boolean needsBlock = own == null || own.isEmpty() || filled[last(own)] == engine.blockSize();
        if (needsBlock && free.size() == 0) {
            return false;
        }
        int at = start - request.spec().promptLength();
        put(request, request.spec().output(), at, at + 1, false);
        return true;
    }

    private boolean fits(@Nullable IntList own, int count, int[] hits) {
        int more = count;
        if (own != null && !own.isEmpty()) {
            int spare = engine.blockSize() - filled[last(own)];
            more -= spare < engine.blockSize() ? Math.min(spare, more) : 0;
        }
        int idle = 0;
        for (int hit : hits) {
            idle += references[hit] == 0 ? 1 : 0;
        }
        return blocks(more) + idle <= free.size();
    }

    private static int last(IntList own) {
        return own.get(own.size() - 1);
    }

    /** Writes tokens into the last block of a request and then into new ones. */
    private void put(BlisRequest request, long[] text, int start, int end, boolean isPrompt) {
        int at = start;
        if (at >= end) {
            return;
        }
        IntList own = owned.computeIfAbsent(request, unseen -> new IntList());
        if (!own.isEmpty() && filled[last(own)] > 0 && filled[last(own)] < engine.blockSize()) {
            int block = last(own);
            at += fill(block, text, at, end);
            if (filled[block] == engine.blockSize()) {
                enter(block, own.size() >= 2 ? keys[own.get(own.size() - 2)] : BlockChains.NONE);
            }
        }
        int parent = own.isEmpty() ? BlockChains.NONE : keys[last(own)];
        while (at < end) {
            int block = pop();
            references[block] = 1;
            newBlocks++;
            at += fill(block, text, at, end);
            if (isPrompt && filled[block] == engine.blockSize()) {
                enter(block, parent);
                parent = keys[block];
            }
            own.add(block);
        }
    }

    private int fill(int block, long[] text, int start, int end) {
        long @Nullable [] content = tokens[block];
        if (content == null) {
            content = new long[engine.blockSize()];
            tokens[block] = content;
        }
        int count = Math.min(engine.blockSize() - filled[block], end - start);
        System.arraycopy(text, start, content, filled[block], count);
        filled[block] += count;
        return count;
    }

    private void enter(int block, int parent) {
        keys[block] = chains.number(parent, tokens[block], 0);
        index.put(keys[block], block);
    }

    private int pop() {
        int block = free.takeFirst();
        if (keys[block] != BlockChains.NONE) {
            index.remove(keys[block]);
            keys[block] = BlockChains.NONE;
        }
        filled[block] = 0;
        return block;
    }

    /** Frees the blocks of a request, the last one first. */
    void release(BlisRequest request) {
        IntList own = owned.remove(request);
        if (own == null) {
            return;
        }
        for (int i = own.size() - 1; i >= 0; i--) {
            if (--references[own.get(i)] == 0) {
                free.append(own.get(i));
            }
        }
    }

    /** Copies the full blocks of a request to the CPU tier, the least recently used of which make room. */
    void copyDown(BlisRequest request) {
        IntList own = owned.get(request);
        if (own == null || engine.cpuBlocks() == 0) {
            return;
        }
        for (int i = 0; i < own.size(); i++) {
            int key = keys[own.get(i)];
            if (key == BlockChains.NONE) {
                continue;
            }
            if (!mirror.remove(key)) {
                if (mirror.size() >= engine.cpuBlocks()) {
                    mirror.remove(mirror.iterator().next());
                    evicted++;
                }
                mirrored++;
            }
            mirror.add(key);
        }
    }
}
