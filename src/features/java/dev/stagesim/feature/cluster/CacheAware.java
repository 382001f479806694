package dev.stagesim.feature.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.Tournament;

/** The cache-aware policy of SGLang's gateway, on blocks of tokens where that has a tree of characters. */
final class CacheAware implements Router {
    /** Its section. */
    @Variant(
            "cache_aware | As SGLang's gateway: the instance that has most of the prompt, where that is more than share; else, and"
                    + " where requests are uneven, the one with the fewest; the first of equals.")
    public record Settings(
            @Key("Share of the prompt above which a match counts. | 0.5 | 0..1") double share,
            @Key("Requests are uneven where the most exceed the fewest by more. | 32 | requests | 0..1000000")
                    int difference,
            @Key("And where the most also exceed this many times the fewest. | 1.1 | 1..1000") double ratio,
            @Key("Tokens of a block of the router's index. | 16 | tokens | 1..1000000") int blockTokens)
            implements RouterSettings {
        @Override
        public Router over(Group group) {
            return new CacheAware(this, group);
        }
    }

    private final Settings settings;
    private final Prompts prompts;
    private final Members members;
    private final PrefixIndex index;
    private final Loads loads;
    private final Tournament most;
    private final long[] last;
    private long sends;

    private CacheAware(Settings settings, Group group) {
        this.settings = settings;
        prompts = group.prompts();
        members = group.members();
        index = PrefixIndex.ofPrompts(group, settings.blockTokens());
        loads = new Loads(group);
        most = new Tournament(group.size(), 0);
        last = new long[group.size()];
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        double greatest = -most.value();
        double least = loads.value();
        if (greatest - least > settings.difference() && greatest > settings.ratio() * least) {
            return loads.least();
        }
        index.look(request);
        int best = -1;
        int length = 0;
        for (int i = 0; i < index.found(); i++) {
            int instance = index.instance(i);
            int tokens = Math.min(index.tokens(i), prompts.promptTokens(request));
            // of equals the one that was sent something last, as the tree keeps the last worker of a node
            boolean isBetter = tokens > length || (tokens == length && best >= 0 && last[instance] > last[best]);
            if (isBetter && members.isOpen(instance)) {
                best = instance;
                length = tokens;
            }
        }
        return best >= 0 && length > settings.share() * prompts.promptTokens(request) ? best : loads.least();
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
        last[instance] = ++sends;
        index.sent(request, instance);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        add(instance, -1);
    }

    @Override
    public void opened(int instance) {
        index.forget(instance);
        loads.changed(instance);
        changed(instance);
    }

    @Override
    public void closed(int instance) {
        loads.changed(instance);
        changed(instance);
    }
}
