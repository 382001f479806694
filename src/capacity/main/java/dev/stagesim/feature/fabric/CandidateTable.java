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

    static void write(Path out, List<FabricCandidate> candidates) throws IOException {
        TableWriter.write(out, FabricTables.CANDIDATES, candidates, (table, candidate) -> {
            FabricPlan plan = candidate.plan();
            TargetPlacement deployment = plan.deployment();
            table.put((long) candidate.number()).put(deployment.id());
            table.put((long) deployment.tp()).put((long) deployment.pp());
            table.put(policy(plan)).put(plan.load());
            table.put(candidate.status().text());
            table.put(candidate.reason());
            for (String metric : METRICS) {
                table.putFinite(plan.metrics().getOrDefault(metric, Double.NaN));
            }
            table.putIf(
                    plan.has(FabricPlan.NODES),
                    plan.metrics().getOrDefault(FabricPlan.NODES, 0.0).longValue());
            for (String metric : EVALUATED) {
                table.put(plan.has(metric) ? Provenance.evaluation(plan, metric) : "");
            }
        });
    }

    /** Describes scheduler and batch, or the microbatch in training. */
    static String policy(FabricPlan plan) {
        return plan.detail() > 0
                ? "microbatch " + plan.detail()
                : plan.deployment().policy();
    }
}
