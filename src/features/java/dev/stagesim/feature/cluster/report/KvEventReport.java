package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.RequestTrace;
import java.util.List;
import java.util.Map;

/** How right routers were that follow the events of caches: what they counted on, and what the engines found. */
record KvEventReport(List<KvEventBus> all, RequestTimeline timeline, RequestTrace trace) {
    /** Tokens of prompts that were sent by such routers, that were counted on and not found, and found and not counted on. */
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
            into.put("cached_missed_share", sums.missed() / sums.tokens());
            into.put("cached_unforeseen_share", sums.unexpected() / sums.tokens());
        }
    }

    void addTo(Report report) {
        if (!all.isEmpty()) {
            Sums sums = sums();
            report.section("events", "What routers knew of caches")
                    .prose("Of the prompt tokens of requests that were sent by what caches tell, "
                            + percent(sums.missed() / sums.tokens()) + " were counted on and not found, and "
                            + percent(sums.unexpected() / sums.tokens())
                            + " found and not counted on: what other requests brought or took while the request was on its"
                            + " way or waited, and what was not told in time.");
        }
    }

    private static String percent(double share) {
        return Numbers.significant(100 * share, 3) + " %";
    }
}
