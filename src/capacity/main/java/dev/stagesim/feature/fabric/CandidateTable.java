package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.fabric.FabricTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes candidates.csv. */
final class CandidateTable {
    private static final List<String> METRICS =
            List.of(FabricPlan.USD_PER_MTOK, FabricPlan.TTFT, FabricPlan.TPOT, FabricPlan.STEP, FabricPlan.POWER);
    private static final List<String> EVALUATED =
            List.of(FabricPlan.USD_PER_MTOK, FabricPlan.TTFT, FabricPlan.TPOT, FabricPlan.STEP);

    private CandidateTable() {}

    static void write(Path file, List<FabricCandidate> candidates) throws IOException {
        try (TableWriter table = TableWriter.create(file, FabricTables.CANDIDATES)) {
            for (FabricCandidate candidate : candidates) {
                FabricPlan plan = candidate.plan();
                TargetPlacement deployment = plan.deployment();
                table.put((long) candidate.number()).put(deployment.id());
                table.put((long) deployment.tp()).put((long) deployment.pp());
                table.put(policy(plan)).put(plan.load());
                table.put(candidate.status().text());
                text(table, candidate.reason());
                for (String metric : METRICS) {
                    if (plan.has(metric)) {
                        table.put(plan.metric(metric));
                    } else {
                        table.putEmpty();
                    }
                }
                if (plan.has(FabricPlan.NODES)) {
                    table.put((long) plan.metric(FabricPlan.NODES));
                } else {
                    table.putEmpty();
                }
                for (String metric : EVALUATED) {
                    text(table, plan.has(metric) ? Provenance.evaluation(plan, metric) : "");
                }
                table.endRow();
            }
        }
    }

    private static void text(TableWriter table, String text) throws IOException {
        if (text.isEmpty()) {
            table.putEmpty();
        } else {
            table.put(text);
        }
    }

    /** Describes scheduler and batch, or the microbatch in training. */
    static String policy(FabricPlan plan) {
        return plan.detail() > 0
                ? "microbatch " + plan.detail()
                : plan.deployment().policy();
    }
}
