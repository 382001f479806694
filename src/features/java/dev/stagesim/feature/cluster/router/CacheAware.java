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

/** The cache-aware policy of SGLang's gateway, with its tree on blocks of tokens instead of characters. */
final class CacheAware implements Router {
    /** Its section. */
    @Variant(
            "cache_aware | As SGLang's gateway: the instance that its tree of prompts has for most of the prompt, where that is more"
                    + " than share; else, and where requests are uneven, the one with the fewest; the first of equals.")
    public record Settings(
            @Key("Share of the prompt above which a match counts. | 0.5 | 0..1") double share,
            @Key("Requests are uneven where the most exceed the fewest by more. | 32 | requests | 0..1000000")
                    int difference,
            @Key("And where the most also exceed this many times the fewest. | 1.1 | 1..1000") double ratio,
            @Key("Tokens of a block of the router's index. | 16 | tokens | 1..1000000") int blockTokens)
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
    private final Tournament most;

    private CacheAware(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        members = group.members();
        room = LongStream.of(group.cacheTokens())
                .map(tokens -> tokens / settings.blockTokens())
                .toArray();
        loads = new Loads(group);
        most = new Tournament(group.size(), 0);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        double greatest = -most.value();
        double least = loads.value();
        if (greatest - least > settings.difference() && greatest > settings.ratio() * least) {
            return loads.least();
        }
        PrefixTree.Found found = tree.match(blocks(request));
        long tokens = Math.min((long) found.matched() * settings.blockTokens(), prompts.promptTokens(request));
        boolean isCached = tokens > 0 && tokens > settings.share() * prompts.promptTokens(request);
        return isCached && members.isOpen(found.worker()) ? found.worker() : loads.least();
    }

    private long[] blocks(int request) {
        return prompts.pieces(request, settings.blockTokens(), Integer.MAX_VALUE);
    }

    private void add(int instance, int more) {
        loads.add(instance, more);
        changed(instance);
    }

    private void changed(int instance) {
        most.set(instance, members.isOpen(instance) ? -loads.get(instance) : 0);
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        add(instance, 1);
        tree.insert(instance, blocks(request));
        // more than a tenth beyond the cache, so that few calls search the tree for the oldest prompts
        if (tree.size(instance) > room[instance] + room[instance] / 10) {
            tree.evict(each -> (int) Math.min(Integer.MAX_VALUE, room[each]));
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
