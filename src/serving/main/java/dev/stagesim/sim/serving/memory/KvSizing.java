package dev.stagesim.sim.serving.memory;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The division of the memory of a device into blocks.
 *
 * @param layers layers of each group on the first pipeline stage
 * @param groups cache of the layers of each group
 * @param blocks blocks of the pool
 * @param bytesPerBlock bytes of a block over all layers of the first stage that share it
 * @param bytesPerToken bytes of a token if there is one group, otherwise 0
 * @param layout the groups, as the scheduler sees them
 */
public record KvSizing(
        List<List<Integer>> layers,
        List<LayerCache> groups,
        long blocks,
        long bytesPerBlock,
        double bytesPerToken,
        KvLayout layout) {
    /**
     * The inputs of the division.
     *
     * @param maxModelLen maximum tokens of a sequence
     * @param tokensInFlight maximum tokens that are scheduled and not processed
     * @param stages pipeline stages
     * @param treatsAllAsFull whether windows are ignored
     * @param blocks explicit number of blocks, or 0 for the maximum that fits
     */
    public record Settings(int maxModelLen, long tokensInFlight, int stages, boolean treatsAllAsFull, int blocks) {}

    /** Layers by group, and the cache of each of them. */
    private record Grouping(List<List<Integer>> layers, List<LayerCache> specs, boolean sumsPages) {}

    public KvSizing {
        layers = List.copyOf(layers);
        groups = List.copyOf(groups);
    }

    /**
     * Divides the memory.
     *
     * @param model the layers in order
     * @param available bytes for the cache on each worker, stage by stage
     * @throws StageException if not even one sequence of the maximum length fits, or if the layers cannot share blocks
     */
    public static KvSizing of(List<LayerCache> model, long[] available, Settings settings) {
        List<LayerCache> all = settings.treatsAllAsFull()
                ? model.stream().map(LayerCache::asFull).toList()
                : model;
        Grouping grouping = group(all);
        List<KvGroup> specs = specs(grouping);
        KvLayout layout = layout(specs, settings.maxModelLen(), settings.tokensInFlight());
        long perRequest = blocksOfRequest(layout);
        long blocks = Long.MAX_VALUE;
        long firstBytes = 0;
        List<List<Integer>> first = List.of();
        for (int worker = 0; worker < available.length; worker++) {
            int stage = worker * settings.stages() / available.length;
            List<List<Integer>> part = onStage(grouping.layers(), model.size(), stage, settings.stages());
            long bytes = bytesOfBlock(grouping, all, part);
            if (worker == 0) {
                firstBytes = bytes;
                first = part;
            }
            if (bytes == 0) {
                continue;
            }
            if (settings.blocks() == 0) {
                checkRoom(available[worker], bytes * perRequest, settings.maxModelLen());
            }
            blocks = Math.min(blocks, available[worker] / bytes);
        }
        if (settings.blocks() > 0) {
            blocks = settings.blocks();
        }
        boolean isSingle = specs.size() == 1;
        double perToken = isSingle ? (double) firstBytes / specs.get(0).blockSize() : 0;
        return new KvSizing(first, grouping.specs(), blocks, firstBytes, perToken, layout);
    }

    /** Returns the groups of the layers. */
    public static List<KvGroup> groups(List<LayerCache> model) {
        return specs(group(model));
    }

    /** Returns the maximum number of blocks that a request of {@code tokens} tokens needs in all groups. */
    public static long blocksOf(List<KvGroup> groups, int tokens, long tokensInFlight) {
        return blocksOfRequest(layout(groups, tokens, tokensInFlight));
    }

    private static List<KvGroup> specs(Grouping grouping) {
        return grouping.specs().stream().map(LayerCache::spec).toList();
    }

    private static KvLayout layout(List<KvGroup> groups, int maxModelLen, long tokensInFlight) {
        return KvLayout.plain(groups, 2, true, 0, maxModelLen, tokensInFlight);
    }

    private static long blocksOfRequest(KvLayout layout) {
        long blocks = 0;
        for (int i = 0; i < layout.groups().size(); i++) {
            blocks += LayerCache.blocksOfRequest(layout, i);
        }
        return blocks;
    }

    /** Returns the maximum number of blocks that one request needs in a group. */
    public int blocksOfRequest(int group) {
        return LayerCache.blocksOfRequest(layout, group);
    }

    /** Returns the number of concurrent requests of the maximum length that fit. */
    public double concurrency() {
        return (double) blocks / blocksOfRequest(layout);
    }

    /** Returns the number of tokens that fit, as the engine reports it. */
    public long capacityTokens() {
        return (long) (concurrency() * layout.maxModelLen());
    }

    private static void checkRoom(long available, long needed, int maxModelLen) {
        if (needed > available) {
            throw StageException.input(Problem.of(
                            "kv cache",
                            "max_model_len",
                            "a request of " + maxModelLen + " tokens needs " + needed
                                    + " bytes of cache, and there are " + available)
                    .hint("use a larger gpu_memory_utilization, a smaller max_model_len or more devices"));
        }
    }

    private static long bytesOfBlock(Grouping grouping, List<LayerCache> model, List<List<Integer>> part) {
        if (grouping.sumsPages()) {
            return part.get(0).stream().mapToLong(i -> model.get(i).pageBytes()).sum();
        }
        int max = part.stream().mapToInt(List::size).max().orElse(0);
        return grouping.specs().get(0).pageBytes() * max;
    }

    /**
     * Returns the layers of each group on a stage. Stages have equal shares; the remainder goes to the stages before
     * the last one.
     */
    private static List<List<Integer>> onStage(List<List<Integer>> groups, int layers, int stage, int stages) {
        int[] shares = new int[stages];
        Arrays.fill(shares, layers / stages);
        for (int i = 2; i < layers % stages + 2; i++) {
            shares[stages - i]++;
        }
        int from = 0;
        for (int i = 0; i < stage; i++) {
            from += shares[i];
        }
        int begin = from;
        int end = from + shares[stage];
        return groups.stream()
                .map(group -> group.stream().filter(i -> i >= begin && i < end).toList())
                .toList();
    }

    private static Grouping group(List<LayerCache> model) {
        List<Integer> everything = new ArrayList<>();
        for (int i = 0; i < model.size(); i++) {
            everything.add(i);
        }
        LayerCache first = model.get(0);
        if (model.stream().allMatch(first::equals)) {
            return new Grouping(List.of(everything), List.of(first), false);
        }
        if (model.stream().allMatch(layer -> isOneType(first.spec(), layer.spec()))) {
            return new Grouping(List.of(everything), List.of(first), true);
        }
        return bucket(unify(model));
    }

    private static boolean isOneType(KvGroup a, KvGroup b) {
        return a.kind() == b.kind()
                && a.blockSize() == b.blockSize()
                && a.window() == b.window()
                && a.speculativeBlocks() == b.speculativeBlocks();
    }

    /** Returns the layers with pages of the same size. */
    private static List<LayerCache> unify(List<LayerCache> model) {
        long target = model.stream().mapToLong(LayerCache::pageBytes).max().orElseThrow();
        List<LayerCache> unified = new ArrayList<>();
        for (LayerCache layer : model) {
            long page = layer.pageBytes();
            if (page == target) {
                unified.add(layer);
            } else if (layer.spec().kind() == KvGroup.Kind.MAMBA) {
                unified.add(layer.withBlock(layer.spec().blockSize(), target));
            } else if (target % page == 0) {
                unified.add(layer.withBlock(Math.toIntExact(layer.spec().blockSize() * (target / page)), target));
            } else {
                throw StageException.input(Problem.of(
                        "kv cache",
                        "block_size",
                        "blocks of " + page + " bytes cannot share memory with blocks of " + target
                                + ", which is not a multiple"));
            }
        }
        return unified;
    }

    private static Grouping bucket(List<LayerCache> model) {
        Map<LayerCache, List<Integer>> buckets = new LinkedHashMap<>();
        for (int i = 0; i < model.size(); i++) {
            buckets.computeIfAbsent(model.get(i), spec -> new ArrayList<>()).add(i);
        }
        int smallest = buckets.values().stream().mapToInt(List::size).min().orElseThrow();
        int largest = buckets.values().stream().mapToInt(List::size).max().orElseThrow();
        int size = largest < 1.5 * smallest ? largest : smallest;
        List<List<Integer>> layers = new ArrayList<>();
        List<LayerCache> specs = new ArrayList<>();
        buckets.forEach((spec, members) -> {
            int count = KvLayout.ceilDiv(members.size(), size);
            for (int group = 0; group < count; group++) {
                List<Integer> own = new ArrayList<>();
                for (int i = group; i < members.size(); i += count) {
                    own.add(members.get(i));
                }
                layers.add(own);
                specs.add(spec);
            }
        });
        return new Grouping(layers, specs, false);
    }
}
