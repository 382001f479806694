package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.cache.CacheNews;
import dev.stagesim.feature.cluster.instance.Life;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.RequestTrace;
import java.util.List;
import java.util.Map;

/** How right routers were that follow the events of caches: what they counted on, and what the engines found. */
record NewsReport(List<CacheNews> all, Life life, RequestTrace trace) {
    /** Tokens of prompts that were sent by such routers, that were counted on and not found, and found and not counted on. */
    private record Sums(double tokens, double missed, double unforeseen) {}

    private Sums sums() {
        double tokens = 0;
        double missed = 0;
        double unforeseen = 0;
        for (CacheNews news : all) {
            for (int i = 0; i < life.size(); i++) {
                int foreseen = news.foreseen(i);
                if (foreseen >= 0 && life.isServed(i)) {
                    tokens += trace.prefillTokens(i);
                    missed += Math.max(0, foreseen - life.hits[i]);
                    unforeseen += Math.max(0, life.hits[i] - foreseen);
                }
            }
        }
        return new Sums(Math.max(1, tokens), missed, unforeseen);
    }

    void figures(Map<String, Double> into) {
        if (!all.isEmpty()) {
            Sums sums = sums();
            into.put(
                    "kv_event_messages",
                    all.stream().mapToDouble(news -> news.sent).sum());
            into.put(
                    "kv_event_messages_lost",
                    all.stream().mapToDouble(news -> news.lost).sum());
            into.put("cached_missed_share", sums.missed() / sums.tokens());
            into.put("cached_unforeseen_share", sums.unforeseen() / sums.tokens());
        }
    }

    void addTo(Report report) {
        if (!all.isEmpty()) {
            Sums sums = sums();
            report.section("events", "What routers knew of caches")
                    .prose("Of the prompt tokens of requests that were sent by what caches tell, "
                            + percent(sums.missed() / sums.tokens()) + " were counted on and not found, and "
                            + percent(sums.unforeseen() / sums.tokens())
                            + " found and not counted on: what other requests brought or took while the request was on its"
                            + " way or waited, and what was not told in time.");
        }
    }

    private static String percent(double share) {
        return Numbers.significant(100 * share, 3) + " %";
    }
}
