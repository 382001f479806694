package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.cluster.PrefixTree;
import java.util.stream.LongStream;

/** The cache-aware policy of SGLang's gateway. Its tree contains token blocks instead of characters. */
final class CacheAware implements Router {
    @Variant("cache_aware | SGLang's gateway: the instance with the longest match in the prompt tree, if the"
            + " match is longer than share of the prompt; otherwise, and if loads are unbalanced, the"
            + " instance with the fewest requests. Ties go to the first instance.")
    record Settings(
            @Key("Minimum share of the prompt for a match. | 0.5 | 0..1") double share,
            @Key("Minimum difference between the highest and lowest load for unbalanced loads. | 32 | requests |"
                            + " 0..1000000")
                    int difference,
            @Key("Minimum ratio of the highest to the lowest load for unbalanced loads. | 1.1 | 1..1000") double ratio,
            @Key("Tokens per block of the router's index. | 16 | tokens | 1..1000000") int blockTokens)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new CacheAware(this, group);
        }
    }

    private final Settings settings;
    private final Prompts prompts;
    private final AvailableInstances members;
    private final PrefixTree tree = new PrefixTree();
    private final long[] room;
    private final Loads loads;
    private final Tournament maxLoads;

    private CacheAware(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        members = group.members();
        room = LongStream.of(group.cacheTokens())
                .map(tokens -> tokens / settings.blockTokens())
                .toArray();
        loads = new Loads(group);
        maxLoads = new Tournament(group.size(), 0);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        double max = -maxLoads.value();
        double min = loads.minimum();
        if (max - min > settings.difference() && max > settings.ratio() * min) {
            return loads.leastLoaded();
        }
        PrefixTree.Found found = tree.match(blocks(request));
        long tokens = Math.min((long) found.matched() * settings.blockTokens(), prompts.promptTokens(request));
        boolean isCached = tokens > 0 && tokens > settings.share() * prompts.promptTokens(request);
        return isCached && members.isOpen(found.worker()) ? found.worker() : loads.leastLoaded();
    }

    private long[] blocks(int request) {
        return prompts.chunks(request, settings.blockTokens(), Integer.MAX_VALUE);
    }

    private void add(int instance, int more) {
        loads.add(instance, more);
        changed(instance);
    }

    private void changed(int instance) {
        maxLoads.set(instance, members.isOpen(instance) ? -loads.get(instance) : 0);
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        add(instance, 1);
        tree.insert(instance, blocks(request));
        // evict at 110 % of the capacity, because each eviction searches the tree
        if (tree.size(instance) > room[instance] + room[instance] / 10) {
            tree.evict(worker -> (int) Math.min(Integer.MAX_VALUE, room[worker]));
        }
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        add(instance, -1);
    }

    @Override
    public void opened(int instance) {
        loads.changed(instance);
        changed(instance);
    }

    @Override
    public void closed(int instance) {
        tree.remove(instance);
        loads.changed(instance);
        changed(instance);
    }
}
