package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import java.util.List;
import java.util.stream.Stream;

/** The section {@code cluster.router.scorers}: the scorers of an llm-d router. Scorers with weight 0 are not evaluated. */
@FormerKeys(
        removed = {
            "length_part=set prefix_cache.match_length_weight",
            "full_queue=set load_aware.queue_saturation",
            "idle_requests=set active_request.idle_requests",
            "busy_score=set active_request.max_busy_score",
            "full_tokens=set token_load.token_saturation",
            "first_ms=set latency.ttft_target_ms",
            "gap_ms=set latency.tpot_target_ms"
        })
public record Scorers(
        @Key("Long prefix matches, estimated from sent prompts.") PrefixCacheScorer.Settings prefixCache,
        @Key("Low KV cache utilisation.") KvScorer.Settings kvCacheUtilization,
        @Key("Short queues, compared with the other instances.") MinMaxScorer.Queue queue,
        @Key("Small batches, compared with the other instances.") MinMaxScorer.RunningRequests runningRequests,
        @Key("Short queues, absolute.") LoadAwareScorer.Settings loadAware,
        @Key("Few unfinished requests.") ActiveRequestScorer.Settings activeRequest,
        @Key("Few prompt tokens to compute.") TokenLoadScorer.Settings tokenLoad,
        @Key("The instance of the previous turn of the session.") SessionScorer.Settings sessionAffinity,
        @Key("Instances with the LoRA adapter of the request.") LoraScorer.Settings loraAffinity,
        @Key("The least recently used instance, for requests without cache hits.") NoHitLruScorer.Settings noHitLru,
        @Key("Predicted latencies.") LatencyScorer.Settings latency,
        @Key("Long prefix matches, from KV events.") MinMaxScorer.PrecisePrefixCache precisePrefixCache) {
    /** A scorer with its weight. */
    public record Weighted(double weight, Scorer scorer) {}

    private Stream<ScorerFactory> active() {
        return KeyRecord.components(Scorers.class).stream()
                .map(component -> (ScorerFactory) KeyRecord.value(component, this))
                .filter(settings -> settings.weight() > 0);
    }

    /** Creates the scorers with a weight. */
    public List<Weighted> make(RouterView view) {
        return active().map(settings -> new Weighted(settings.weight(), settings.make(view)))
                .toList();
    }

    public boolean usesAdapters() {
        return loraAffinity.weight() > 0;
    }

    public boolean usesKvEvents() {
        return precisePrefixCache.weight() > 0;
    }

    public boolean isAny() {
        return active().findAny().isPresent();
    }

    /** Returns true if an active scorer reads instance metrics. */
    public boolean readsSignals() {
        return active().anyMatch(ScorerFactory::readsSignals);
    }
}
