package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.memory.FreeBlocks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A block manager with victim tiers below the device, as LLMServingSim 2 has it.
 *
 * <p>All tiers share one chain of block keys; a tier with blocks {@code factor} times as long uses every {@code factor}-th.
 * Full blocks are copied down once, without taking time; what a lower tier still has is recalled in whole blocks.
 */
public final class TieredBlocks {
    /** A tier below the device: its blocks, each {@code factor} times a block of the device. */
    public record Tier(int blocks, int factor) {}

    /**
     * Outcome of an admission.
     *
     * @param deviceHit tokens found on the device
     * @param lowerHit tokens behind them that a lower tier has
     * @param fits whether the whole sequence would fit
     * @param allocated new blocks, or none when they were refused and nothing changed
     */
    public record Admission(int deviceHit, int lowerHit, boolean fits, Optional<int[]> allocated) {}

    private final int blockSize;
    private final long blockBytes;
    private final boolean caches;
    private final BlockChains chains;
    private final Pool device;
    private final List<Tier> tiers;
    private final List<Pool> pools = new ArrayList<>();
    private final Map<Integer, Sequence> sequences = new LinkedHashMap<>();
    private long recalled;
    private long written;

    private static final class Sequence {
        private final int[] chain;
        private final List<Integer> blocks = new ArrayList<>();
        private int reached;
        private int computed;
        private int indexed;

        Sequence(int[] chain, int reached) {
            this.chain = chain;
            this.reached = reached;
        }
    }

    /** Blocks of one tier and what can be found in them. */
    private static final class Pool {
        private final FreeBlocks free;
        private final int blocks;
        private final int[] references;
        private final int[] keys;
        private final Map<Integer, Integer> index = new LinkedHashMap<>();

        Pool(int blocks) {
            if (blocks < 1) {
                throw new IllegalArgumentException("a tier needs at least 1 block, got " + blocks);
            }
            this.blocks = blocks;
            free = new FreeBlocks(blocks);
            references = new int[blocks];
            keys = new int[blocks];
        }

        int take() {
            int block = free.takeFirst();
            if (keys[block] != BlockChains.NONE) {
                index.remove(keys[block], block);
                keys[block] = BlockChains.NONE;
            }
            references[block] = 1;
            return block;
        }

        void claim(int block) {
            if (references[block]++ == 0) {
                free.remove(block);
            }
        }

        void release(int block) {
            if (--references[block] == 0) {
                free.append(block);
            }
        }

        void enter(int block, int key) {
            if (keys[block] == BlockChains.NONE) {
                keys[block] = key;
                index.put(key, block);
            }
        }

        long used() {
            long idle = index.values().stream()
                    .filter(block -> references[block] == 0)
                    .count();
            return blocks - free.size() + idle;
        }
    }

    private record Lower(int tokens, long bytes) {}

    /** A manager with an empty device and empty tiers, the nearest tier first. */
    public TieredBlocks(int blockSize, int blocks, long blockBytes, List<Tier> tiers, boolean caches) {
        this.blockSize = blockSize;
        this.blockBytes = blockBytes;
        this.caches = caches;
        this.tiers = List.copyOf(tiers);
        chains = new BlockChains(blockSize);
        device = new Pool(blocks);
        tiers.forEach(tier -> pools.add(new Pool(tier.blocks())));
    }

    /** Makes a sequence known: all its tokens, and how many of them the prompt has; without a prompt it is not found again. */
    public void know(int sequence, long[] tokens, int prompt) {
        sequences.put(sequence, new Sequence(prompt == 0 ? new int[0] : chains.of(tokens), prompt));
    }

    /** Looks a sequence up and allocates {@code chunk} tokens behind what was found. */
    public Admission admit(int id, int chunk) {
        Sequence sequence = known(id);
        List<Integer> hits = caches ? deviceHits(sequence) : List.of();
        int deviceHit = hits.size() * blockSize;
        Lower lower = caches ? lowerHit(sequence, deviceHit) : new Lower(0, 0);
        int found = deviceHit + lower.tokens();
        boolean fits = needed(sequence, Math.max(sequence.reached, found), hits) <= device.free.size();
        if (needed(sequence, found + chunk, hits) > device.free.size()) {
            return new Admission(deviceHit, lower.tokens(), fits, Optional.empty());
        }
        hits.forEach(device::claim);
        sequence.blocks.addAll(hits);
        sequence.indexed = sequence.blocks.size();
        recalled += lower.bytes();
        sequence.computed = found;
        return new Admission(deviceHit, lower.tokens(), fits, Optional.of(grow(sequence, chunk)));
    }

    /** Allocates {@code chunk} more tokens of a sequence that has become {@code reached} tokens long. */
    public Optional<int[]> extend(int id, int chunk, int reached) {
        Sequence sequence = known(id);
        sequence.reached = reached;
        return needed(sequence, sequence.computed + chunk, List.of()) > device.free.size()
                ? Optional.empty()
                : Optional.of(grow(sequence, chunk));
    }

    /** Gives the blocks of a sequence back; it may be admitted again. */
    public void release(int id) {
        Sequence sequence = known(id);
        for (int i = sequence.blocks.size() - 1; i >= 0; i--) {
            device.release(sequence.blocks.get(i));
        }
        sequence.blocks.clear();
        sequence.computed = 0;
        sequence.indexed = 0;
    }

    /** Bytes recalled from lower tiers so far. */
    public long recalledBytes() {
        return recalled;
    }

    /** Bytes copied to lower tiers so far. */
    public long writtenBytes() {
        return written;
    }

    public int freeBlocks() {
        return device.free.size();
    }

    /** Free blocks in the order in which they will be taken. */
    public int[] freeOrder() {
        return device.free.toArray();
    }

    /** Bytes of the device that are held or can still be found. */
    public long usedBytes() {
        return device.used() * blockBytes;
    }

    /** The same of a lower tier. */
    public long usedBytes(int tier) {
        return pools.get(tier).used() * blockBytes * tiers.get(tier).factor();
    }

    private Sequence known(int id) {
        Sequence sequence = sequences.get(id);
        if (sequence == null) {
            throw new IllegalArgumentException("unknown sequence " + id);
        }
        return sequence;
    }

    /** Blocks found from the start on; one token at least is left to compute. */
    private List<Integer> deviceHits(Sequence sequence) {
        List<Integer> hits = new ArrayList<>();
        int most = Math.min((sequence.reached - 1) / blockSize, sequence.chain.length);
        for (int i = 0; i < most; i++) {
            Integer block = device.index.get(sequence.chain[i]);
            if (block == null) {
                break;
            }
            hits.add(block);
        }
        return hits;
    }

    private Lower lowerHit(Sequence sequence, int deviceHit) {
        for (int tier = 0; tier < pools.size(); tier++) {
            int factor = tiers.get(tier).factor();
            long coarse = (long) factor * blockSize;
            int start = (int) (deviceHit / coarse);
            int end = (int) Math.min(sequence.reached / coarse, sequence.chain.length / factor);
            int at = start;
            while (at < end && pools.get(tier).index.containsKey(sequence.chain[factor * at + factor - 1])) {
                at++;
            }
            long gained = coarse * at - deviceHit;
            if (at > start && gained >= coarse) {
                return new Lower((int) gained, (long) (at - start) * factor * blockBytes);
            }
        }
        return new Lower(0, 0);
    }

    private int needed(Sequence sequence, int tokens, List<Integer> hits) {
        int known = hits.size() + sequence.blocks.size();
        long idle = hits.stream().filter(block -> device.references[block] == 0).count();
        return Math.max(blocks(tokens) - known, 0) + (int) idle;
    }

    private int blocks(int tokens) {
        return (tokens + blockSize - 1) / blockSize;
    }

    private int[] grow(Sequence sequence, int chunk) {
        sequence.computed += chunk;
        int[] taken = new int[Math.max(0, blocks(sequence.computed) - sequence.blocks.size())];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = device.take();
            sequence.blocks.add(taken[i]);
        }
        if (caches) {
            index(sequence);
        }
        return taken;
    }

    private void index(Sequence sequence) {
        int full = Math.min(Math.min(sequence.computed, sequence.reached) / blockSize, sequence.chain.length);
        if (full <= sequence.indexed) {
            return;
        }
        for (int i = sequence.indexed; i < full; i++) {
            device.enter(sequence.blocks.get(i), sequence.chain[i]);
        }
        for (int tier = 0; tier < pools.size(); tier++) {
            writeDown(sequence, tier, full);
        }
        sequence.indexed = full;
    }

    private void writeDown(Sequence sequence, int tier, int full) {
        int factor = tiers.get(tier).factor();
        Pool pool = pools.get(tier);
        for (int i = sequence.indexed / factor; i < full / factor; i++) {
            int key = sequence.chain[factor * i + factor - 1];
            if (!pool.index.containsKey(key)) {
                int block = pool.take();
                pool.enter(block, key);
                pool.release(block);
                written += factor * blockBytes;
            }
        }
    }
}
