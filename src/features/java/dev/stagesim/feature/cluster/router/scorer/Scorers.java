package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/** The section {@code cluster.router.scorers}: the weights of what an llm-d router scores, 0 for none. */
public record Scorers(
        @Key("The share of the prompt's blocks that an instance was sent. | 0 | 0..1000000") double prefixCache,
        @Key("Part that (length of it / 8,192 tokens, at most 1) squared has in that. | 0 | 0..1")
                @OnlyIf("prefix_cache > 0 | that scorer has no weight | set prefix_cache")
                double lengthPart,
        @Key("The free share of the KV cache. | 0 | 0..1000000") double kvCacheUtilization,
        @Key("Few requests in the queue of the engine. | 0 | 0..1000000") double queue,
        @Key("Few requests in its batch. | 0 | 0..1000000") double runningRequests,
        @Key("Few in its queue, by their number alone. | 0 | 0..1000000") double loadAware,
        @Key("Queue at which that is 0. | 128 | requests | 1..1000000")
                @OnlyIf("load_aware > 0 | that scorer has no weight | set load_aware")
                int fullQueue,
        @Key("Few requests that were sent and are not done. | 0 | 0..1000000") double activeRequest,
        @Key("Requests up to which an instance counts as idle. | 0 | requests | 0..1000000")
                @OnlyIf("active_request > 0 | that scorer has no weight | set active_request")
                int idleRequests,
        @Key("Maximum score of instances that are not idle. | 1 | 0..1")
                @OnlyIf("active_request > 0 | that scorer has no weight | set active_request")
                double busyScore,
        @Key("Few tokens of prompts to compute, with those of the request. | 1 | 0..1000000") double tokenLoad,
        @Key("Tokens at which that is 0. | 4194304 | tokens | 1..1000000000000000000")
                @OnlyIf("token_load > 0 | that scorer has no weight | set token_load")
                long fullTokens,
        @Key("The instance that the conversation was sent to last. | 0 | 0..1000000") double sessionAffinity,
        @Key("Instances that have the request's LoRA adapter, or a slot for it. | 0 | 0..1000000") double loraAffinity,
        @Key("Of requests that are nowhere cached, turns over the instances. | 0 | 0..1000000") double noHitLru,
        @Key("Predicted times: instances that will just meet the two below. | 0 | 0..1000000") double latency,
        @Key("Time to the first token that is aimed at. | 500 | ms | 0.001..1000000000")
                @OnlyIf("latency > 0 | that scorer has no weight | set latency")
                double firstMs,
        @Key("Time between two tokens that is aimed at. | 50 | ms | 0.001..1000000000")
                @OnlyIf("latency > 0 | that scorer has no weight | set latency")
                double gapMs,
        @Key("Blocks of the prompt that caches tell of: (own - fewest) / (most - fewest). | 0 | 0..1000000")
                double precisePrefixCache) {
    private record Entry(ToDoubleFunction<Scorers> weight, BiFunction<RouterView, Scorers, Scorer> make) {}

    private static final List<Entry> ALL = List.of(
            new Entry(Scorers::prefixCache, PrefixCacheScorer::of),
            new Entry(Scorers::kvCacheUtilization, KvScorer::of),
            new Entry(Scorers::queue, MinMaxScorer::queue),
            new Entry(Scorers::runningRequests, MinMaxScorer::running),
            new Entry(Scorers::loadAware, LoadAwareScorer::of),
            new Entry(Scorers::activeRequest, ActiveRequestScorer::of),
            new Entry(Scorers::tokenLoad, TokenLoadScorer::of),
            new Entry(Scorers::sessionAffinity, SessionScorer::of),
            new Entry(Scorers::loraAffinity, LoraScorer::of),
            new Entry(Scorers::noHitLru, NoHitLruScorer::of),
            new Entry(Scorers::latency, LatencyScorer::of),
            new Entry(Scorers::precisePrefixCache, MinMaxScorer::blocks));

    /** A scorer with its weight. */
    public record Weighted(double weight, Scorer scorer) {}

    /** Those that have a weight. */
    public List<Weighted> make(RouterView view) {
        return ALL.stream()
                .filter(entry -> entry.weight().applyAsDouble(this) > 0)
                .map(entry -> new Weighted(
                        entry.weight().applyAsDouble(this), entry.make().apply(view, this)))
                .toList();
    }

    /** Whether any has a weight. */
    public boolean isAny() {
        return ALL.stream().anyMatch(entry -> entry.weight().applyAsDouble(this) > 0);
    }

    /** Whether any of them reads what is scraped. */
    public boolean readsSignals() {
        return kvCacheUtilization + queue + runningRequests + loadAware > 0;
    }
}
