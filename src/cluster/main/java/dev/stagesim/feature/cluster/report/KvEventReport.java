package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.List;
import java.util.Map;

/** Reports how well routers that use KV events predicted cache hits. */
record KvEventReport(List<KvEventBus> all, RequestTimeline timeline, RequestTrace trace) {
    /** Prompt tokens routed with KV events: all, predicted hits that were absent, and hits that were not predicted. */
    private record Sums(double tokens, double missed, double unexpected) {}

    private Sums sums() {
        double tokens = 0;
        double missed = 0;
        double unexpected = 0;
        for (KvEventBus kvEvents : all) {
            for (int i = 0; i < timeline.size(); i++) {
                int predicted = kvEvents.predictedHits(i);
                if (predicted >= 0 && timeline.isServed(i)) {
                    tokens += trace.prefillTokens(i);
                    missed += Math.max(0, predicted - timeline.hits[i]);
                    unexpected += Math.max(0, timeline.hits[i] - predicted);
                }
            }
        }
        return new Sums(Math.max(1, tokens), missed, unexpected);
    }

    void figures(Map<String, Double> into) {
        if (!all.isEmpty()) {
            Sums sums = sums();
            into.put(
                    "kv_event_messages",
                    all.stream().mapToDouble(kvEvents -> kvEvents.sent).sum());
            into.put(
                    "kv_event_messages_lost",
                    all.stream().mapToDouble(kvEvents -> kvEvents.lost).sum());
            into.put("missed_hit_share", sums.missed() / sums.tokens());
            into.put("unexpected_hit_share", sums.unexpected() / sums.tokens());
        }
    }

    void addTo(Report report) {
        if (!all.isEmpty()) {
            Sums sums = sums();
            report.section("events", "Accuracy of KV events")
                    .prose("Of the prompt tokens routed with KV events, "
                            + percent(sums.missed() / sums.tokens())
                            + " were predicted hits that the engine no longer had, and "
                            + percent(sums.unexpected() / sums.tokens())
                            + " were hits that the router did not predict. Causes are other requests between"
                            + " the decision and the prefill, and delayed or lost events.");
        }
    }

    private static String percent(double share) {
        return Numbers.significant(100 * share, 3) + " %";
    }
}
