package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.report.Regret.Replay;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ServingInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reports routing regret as table, metrics and text. */
public record RegretReport(Regret regret, ServingInput input) {
    private static final int WORST = 10;
    private static final int DIGITS = 3;
    private static final double MS_PER_S = 1e3;

    /** Writes the table and adds to the report and the metrics. */
    public void write(Path out, Report report, Map<String, Double> all) throws IOException {
        write(out);
        addTo(report);
        figures(all);
    }

    private void figures(Map<String, Double> all) {
        all.put("regret_decisions", (double) regret.worst.size());
        all.put("regret_total_ms", regret.total() * MS_PER_S);
        all.put("regret_p99_ms", regret.quantile(0.99) * MS_PER_S);
    }

    private void write(Path out) throws IOException {
        TableWriter.write(out, ClusterTables.REGRET, regret.replays, (table, best) -> {
            table.put((long) best.decision().number())
                    .put(LatencyBreakdown.ns(best.decision().at()));
            table.put((long) input.id(best.decision().request())).put(part(best));
            table.put((long) best.decision().open()).put((long) best.decision().chosen());
            table.put((long) best.alternative());
            table.putIf(!Double.isNaN(best.ttft()), LatencyBreakdown.ns(best.ttft()));
            table.put(LatencyBreakdown.ns(best.own())).put(LatencyBreakdown.ns(best.others()));
            table.put(LatencyBreakdown.ns(best.regret()));
        });
    }

    private static String part(Replay best) {
        return best.decision().hasPrompt() ? "prompt" : "output";
    }

    private static String ms(double seconds) {
        return Numbers.significant(seconds * MS_PER_S, DIGITS) + " ms";
    }

    private String alternative() {
        return switch (regret.settings.alternatives()) {
            case RUNNER_UP -> "the instance that the router would choose if the chosen one were closed";
            case ALL -> "each other open instance";
            case BASELINE -> "the instance of the baseline, if different";
        };
    }

    private String words() {
        int count = regret.worst.size();
        if (count == 0) {
            return "No decision could be replayed: the instances that the baseline chose are closed in this run.";
        }
        boolean isDrawn = count < regret.open;
        return Count.of(count, "decision") + (isDrawn ? " of " + Numbers.count(regret.open) + " (sample)" : "")
                + " replayed with " + alternative() + ": total regret " + ms(regret.total()) + ", P99 "
                + ms(regret.quantile(0.99)) + "; " + Numbers.count(regret.best())
                + (regret.best() == 1 ? " was" : " were")
                + " optimal among the tried alternatives. On average the best alternative changes the total time of all requests by "
                + signed(regret.mean()) + " ms.";
    }

    private void addTo(Report report) {
        report.section("regret", "Routing regret")
                .prose(words())
                .faint(
                        "A replay keeps the run up to the decision, chooses another instance for that request, and keeps all other decisions. Regret is the total request time that this saves within "
                                + Numbers.plain(regret.settings.horizonS())
                                + " s, at least 0. cluster_regret.csv contains all replays.");
        if (regret.total() == 0) {
            return;
        }
        DataTable table = new DataTable("Decisions with the highest regret")
                .columns(
                        "#Request",
                        "Part",
                        "#Time (s)",
                        "#Instance",
                        "#Alternative",
                        "#TTFT change (ms)",
                        "#Own change (ms)",
                        "#Change of others (ms)",
                        "#Regret (ms)");
        table.rows(
                regret.worst.subList(0, Math.min(WORST, regret.worst.size())),
                best -> List.of(
                        Integer.toString(input.id(best.decision().request())),
                        part(best),
                        Numbers.fixed(best.decision().at(), DIGITS),
                        Integer.toString(best.decision().chosen()),
                        Integer.toString(best.alternative()),
                        signed(best.ttft()),
                        signed(best.own()),
                        signed(best.others()),
                        Numbers.fixed(best.regret() * MS_PER_S, 1)));
        report.table(table);
    }

    private static String signed(double seconds) {
        return Double.isNaN(seconds) ? Numbers.NONE : Numbers.signed(seconds * MS_PER_S, 1);
    }
}
