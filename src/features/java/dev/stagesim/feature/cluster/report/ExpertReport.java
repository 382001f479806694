package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.ExpertGroup;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.ServingOutcome.WaveFigures;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** How evenly experts shared their work, and what new placements cost. */
record ExpertReport(List<ExpertGroup> groups) {
    private static final double GB = 1e9;

    void figures(Map<String, Double> into) {
        for (ExpertGroup group : groups) {
            String pool = group.pool.name();
            into.put(pool + "_expert_balance", group.meanBalance());
            WaveFigures waves = group.waves();
            if (waves.steps() > 0) {
                into.put(pool + "_waves", (double) waves.waves());
                into.put(pool + "_dummy_steps", (double) waves.dummies());
                into.put(pool + "_step_wait_share", waves.waitSeconds() / waves.stepSeconds());
            }
            if (placements(group) > 0) {
                into.put(pool + "_placements", (double) placements(group));
                into.put(pool + "_moved_experts_gb", group.movedBytes() / GB);
                into.put(pool + "_move_s", group.movedSeconds());
            }
        }
    }

    private static long placements(ExpertGroup group) {
        return group.changes().stream()
                .filter(change -> change.what().equals("placement"))
                .count();
    }

    void addTo(Report report) {
        if (groups.isEmpty()) {
            return;
        }
        DataTable table = new DataTable("Experts of the pools")
                .columns(
                        "Pool",
                        "#Balance",
                        "#At the start",
                        "#At the end",
                        "#New placements",
                        "#Moved (GB)",
                        "#In (s)");
        for (ExpertGroup group : groups) {
            List<ExpertGroup.Change> all = group.changes();
            table.row(
                    group.pool.name(),
                    Numbers.fixed(group.meanBalance(), 3),
                    Numbers.fixed(all.get(0).balance(), 3),
                    Numbers.fixed(all.get(all.size() - 1).balance(), 3),
                    Numbers.count(placements(group)),
                    Numbers.significant(group.movedBytes() / GB, 3),
                    Numbers.significant(group.movedSeconds(), 3));
        }
        report.section("experts", "Experts").table(table);
        report.faint(
                "Balance: mean / greatest load of a device, of each layer, averaged over layers and tokens; 1 where all"
                        + " have as much. Changes are in cluster_experts.csv. An instance's step takes what it would if the others"
                        + " that share its experts had as many tokens, unless they run every step together.");
        for (ExpertGroup group : groups) {
            WaveFigures waves = group.waves();
            if (waves.steps() > 0) {
                report.prose("The instances of " + group.pool.name() + " that share experts ran "
                        + Numbers.count(waves.steps()) + " steps together. They waited for slower ones "
                        + Numbers.significant(100 * waves.waitSeconds() / waves.stepSeconds(), 3)
                        + " % of the time of their steps with requests, and took part in "
                        + Numbers.count(waves.dummies()) + " without any of their own.");
            }
        }
    }

    void write(TableWriter table) throws IOException {
        for (ExpertGroup group : groups) {
            for (ExpertGroup.Change change : group.changes()) {
                table.put(LatencyBreakdown.ns(change.at()))
                        .put(group.pool.name())
                        .put(change.what());
                table.put(change.balance()).put((long) change.moved()).put(change.bytes());
                table.put(LatencyBreakdown.ns(change.seconds())).endRow();
            }
        }
    }
}
