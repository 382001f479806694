package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.ExpertGroup;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.WaveCounters;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Reports the balance of expert loads and the cost of new placements. */
record ExpertReport(List<ExpertGroup> groups) {
    private static final double GB = 1e9;

    void figures(Map<String, Double> into) {
        for (ExpertGroup group : groups) {
            String pool = group.pool.name();
            into.put(pool + "_expert_balance", group.meanBalance());
            WaveCounters waves = group.waves();
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
                .filter(change -> change.kind().equals("placement"))
                .count();
    }

    void addTo(Report report) {
        if (groups.isEmpty()) {
            return;
        }
        DataTable table = new DataTable("Experts by pool")
                .columns("Pool", "#Balance", "#Initial", "#Final", "#New placements", "#Moved (GB)", "#Move time (s)");
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
        report.faint("Balance: mean device load divided by the maximum, averaged over layers and tokens; 1 if"
                + " all devices have equal load. cluster_experts.csv contains all changes. Without lockstep,"
                + " a step takes as long as if the other instances that share its experts had equally many"
                + " tokens.");
        for (ExpertGroup group : groups) {
            WaveCounters waves = group.waves();
            if (waves.steps() > 0) {
                report.prose("The instances of " + group.pool.name() + " ran "
                        + Numbers.count(waves.steps()) + " steps in lockstep. They waited for slower instances during "
                        + Numbers.significant(100 * waves.waitSeconds() / waves.stepSeconds(), 3)
                        + " % of the time of their steps with requests, and ran "
                        + Numbers.count(waves.dummies()) + " dummy steps.");
            }
        }
    }

    void write(TableWriter table) throws IOException {
        for (ExpertGroup group : groups) {
            for (ExpertGroup.Change change : group.changes()) {
                table.put(LatencyBreakdown.ns(change.at()))
                        .put(group.pool.name())
                        .put(change.kind());
                table.put(change.balance()).put((long) change.moved()).put(change.bytes());
                table.put(LatencyBreakdown.ns(change.seconds())).endRow();
            }
        }
    }
}
