package dev.stagesim.feature.plan;

import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import java.util.ArrayList;
import java.util.List;

/** Section of the report on pools and routers. */
record PoolReport(ServingPlan plan) {
    /** Returns the answer if pools cost less than copies; otherwise an empty string. */
    String sentence() {
        return plan.arePoolsCheaper() ? plan.bestPools().map(this::cheapest).orElseThrow() : "";
    }

    private String cheapest(PoolConfiguration best) {
        List<String> measured = plan.slo().bounds().stream()
                .map(bound -> Slo.measured(bound, best.result().metrics()))
                .toList();
        return Count.of(best.devices(), "device")
                + plan.usdPerMonth(best)
                        .map(usd -> " for " + Numbers.count(Math.round(usd)) + " USD per month")
                        .orElse("")
                + ": " + best.words() + " with " + String.join(" and ", measured) + " at "
                + Numbers.plain(plan.settings().load()) + " requests/s, headroom "
                + PlanAnswer.percent(plan.slo().margin(best.result().metrics()))
                + " in the SLO; confidence unknown: pools were not compared with published measurements.";
    }

    void addTo(Report report) {
        if (plan.poolConfigurations().isEmpty()) {
            return;
        }
        DataTable table = new DataTable(
                        "The smallest feasible configuration of each kind, cheapest first, or the last one tried")
                .columns("#USD/month", "Pools and router", "#Devices");
        plan.slo().bounds().forEach(bound -> table.number(bound.label() + " (ms)"));
        table.text("Verdict").text("Pareto");
        for (PoolConfiguration configuration : plan.poolConfigurations()) {
            List<String> row = new ArrayList<>(List.of(
                    plan.usdPerMonth(configuration)
                            .map(usd -> Numbers.count(Math.round(usd)))
                            .orElse(Numbers.NONE),
                    configuration.words(),
                    Integer.toString(configuration.devices())));
            row.addAll(configuration.result().cells(plan.slo()));
            row.add(plan.isPareto(configuration) ? "yes" : "no");
            table.row(row.toArray(new String[0]));
        }
        report.section("pools", "Pools and routers")
                .table(table)
                .faint(
                        "Pareto: no other feasible configuration, copies with a round-robin router included, is at least as good in price, P99"
                                + " TTFT and P99 TPOT, and better in one. best/ has the command lines of feasible prefill and decode pools.");
    }
}
