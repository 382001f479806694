package dev.stagesim.feature.fabric;

import dev.stagesim.contract.FabricTables;
import dev.stagesim.io.csv.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The table of what the optimiser tried. */
final class CandidateTable {
    private static final List<String> FIGURES = List.of(Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT, Plan.STEP, Plan.POWER);
    private static final List<String> EVIDENT = List.of(Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT, Plan.STEP);

    private CandidateTable() {}

    static void write(Path file, List<Candidate> candidates) throws IOException {
        try (TableWriter table = TableWriter.create(file, FabricTables.CANDIDATES)) {
            for (Candidate candidate : candidates) {
                Plan plan = candidate.plan();
                TargetPlacement deployment = plan.deployment();
                table.put((long) candidate.number()).put(deployment.id());
                table.put((long) deployment.tp()).put((long) deployment.pp());
                table.put(policy(plan)).put(plan.load());
                table.put(candidate.fate().text());
                text(table, candidate.reason());
                for (String figure : FIGURES) {
                    if (plan.has(figure)) {
                        table.put(plan.figure(figure));
                    } else {
                        table.putEmpty();
                    }
                }
                if (plan.has(Plan.NODES)) {
                    table.put((long) plan.figure(Plan.NODES));
                } else {
                    table.putEmpty();
                }
                for (String figure : EVIDENT) {
                    text(table, plan.has(figure) ? Evidence.evaluation(plan, figure) : "");
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

    /** Scheduler and batch, or microbatch. */
    static String policy(Plan plan) {
        return plan.detail() > 0
                ? "microbatch " + plan.detail()
                : plan.deployment().policy();
    }
}
