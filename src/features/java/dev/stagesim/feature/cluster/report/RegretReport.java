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
import java.util.Map;

/** The regrets of decisions as a table, as figures and in words. */
public record RegretReport(Regret regret, ServingInput input) {
    private static final int WORST = 10;
    private static final int DIGITS = 3;
    private static final double MS_PER_S = 1e3;

    /** Puts it into all places. */
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
        try (TableWriter table = TableWriter.create(out.resolve(ClusterTables.REGRET.name()), ClusterTables.REGRET)) {
            for (Replay one : regret.replays) {
                table.put((long) one.decision().number())
                        .put(LatencyBreakdown.ns(one.decision().at()));
                table.put((long) input.id(one.decision().request())).put(part(one));
                table.put((long) one.decision().open())
                        .put((long) one.decision().chosen());
                table.put((long) one.alternative());
                table.putIf(!Double.isNaN(one.ttft()), LatencyBreakdown.ns(one.ttft()));
                table.put(LatencyBreakdown.ns(one.own())).put(LatencyBreakdown.ns(one.others()));
                table.put(LatencyBreakdown.ns(one.regret())).endRow();
            }
        }
    }

    private static String part(Replay one) {
        return one.decision().hasPrompt() ? "prompt" : "output";
    }

    private static String ms(double seconds) {
        return Numbers.significant(seconds * MS_PER_S, DIGITS) + " ms";
    }

    private String alternative() {
        return switch (regret.settings.alternatives()) {
            case RUNNER_UP -> "the instance that the router chooses when the chosen one is closed";
            case ALL -> "each of the other open instances";
            case AGAINST -> "the instance of the baseline, where that differs";
        };
    }

    private String words() {
        int count = regret.worst.size();
        if (count == 0) {
            return "No decision could be replayed: the instances that the baseline chose are closed here.";
        }
        boolean isDrawn = count < regret.open;
        return Count.of(count, "decision") + (isDrawn ? " of " + Numbers.count(regret.open) + ", drawn," : "")
                + " replayed with " + alternative() + ": total regret " + ms(regret.total()) + ", P99 "
                + ms(regret.quantile(0.99)) + "; " + Numbers.count(regret.best())
                + (regret.best() == 1 ? " was" : " were")
                + " as good as any other that was tried. On average the best of the others changes the times of all"
                + " requests together by " + signed(regret.mean()) + " ms.";
    }

    private void addTo(Report report) {
        report.section("regret", "Decisions of the routers")
                .prose(words())
                .faint("A replay takes the run up to the decision, another instance for that request, and all other"
                        + " decisions as they were. Regret is the time that all requests together would have spent less in "
                        + Numbers.plain(regret.settings.horizonS())
                        + " s after the decision, 0 where it is not less. cluster_regret.csv has every replay.");
        if (regret.total() == 0) {
            return;
        }
        DataTable table = new DataTable("Decisions with the greatest regret")
                .columns(
                        "#Request",
                        "Part",
                        "#At (s)",
                        "#Instance",
                        "#Instead",
                        "#Its TTFT (ms)",
                        "#Its time (ms)",
                        "#Other requests (ms)",
                        "#Regret (ms)");
        regret.worst.stream()
                .limit(WORST)
                .forEach(one -> table.row(
                        Integer.toString(input.id(one.decision().request())),
                        part(one),
                        Numbers.fixed(one.decision().at(), DIGITS),
                        Integer.toString(one.decision().chosen()),
                        Integer.toString(one.alternative()),
                        signed(one.ttft()),
                        signed(one.own()),
                        signed(one.others()),
                        Numbers.fixed(one.regret() * MS_PER_S, 1)));
        report.table(table);
    }

    private static String signed(double seconds) {
        return Double.isNaN(seconds) ? Numbers.NONE : Numbers.signed(seconds * MS_PER_S, 1);
    }
}
