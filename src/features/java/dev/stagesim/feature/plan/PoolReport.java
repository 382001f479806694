package dev.stagesim.feature.plan;

import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Pools and routers of a plan in words and a table. */
record PoolReport(ServingPlan plan) {
    private static final int DIGITS = 3;

    /** The answer if pools cost less; empty otherwise. */
    String sentence() {
        return plan.arePoolsCheaper() ? plan.bestPools().map(this::cheapest).orElseThrow() : "";
    }

    private String cheapest(PoolConfiguration best) {
        List<String> measured = plan.slo().bounds().stream()
                .map(bound -> Slo.measured(bound, best.result().figures()))
                .toList();
        return Count.of(best.devices(), "device")
                + plan.usdPerMonth(best)
                        .map(usd -> " for " + Numbers.count(Math.round(usd)) + " USD a month")
                        .orElse("")
                + ": " + best.words() + " with " + String.join(" and ", measured) + " at "
                + Numbers.plain(plan.settings().load()) + " requests/s.";
    }

    void addTo(Report report) {
        if (plan.poolConfigurations().isEmpty()) {
            return;
        }
        DataTable table = new DataTable("The least of each kind that holds, cheapest first; else what was tried last")
                .columns("#USD a month", "Pools and router", "#Devices");
        plan.slo().bounds().forEach(bound -> table.number(bound.words() + " (ms)"));
        table.text("Verdict").text("Pareto");
        for (PoolConfiguration one : plan.poolConfigurations()) {
            List<String> row = new ArrayList<>(List.of(
                    plan.usdPerMonth(one)
                            .map(usd -> Numbers.count(Math.round(usd)))
                            .orElse(Numbers.NONE),
                    one.words(),
                    Integer.toString(one.devices())));
            plan.slo()
                    .bounds()
                    .forEach(bound ->
                            row.add(Optional.ofNullable(one.result().figures().get(bound.figure()))
                                    .map(value -> Numbers.significant(value, DIGITS))
                                    .orElse(Numbers.NONE)));
            row.add(one.meetsSlo() ? "satisfied" : one.result().keepsUp() ? "violated" : "requests pile up");
            row.add(plan.isPareto(one) ? "yes" : "no");
            table.row(row.toArray(new String[0]));
        }
        report.section("pools", "Pools and routers")
                .table(table)
                .faint(
                        "Pareto: nothing else that holds is as good in price, P99 TTFT and P99 TPOT, and better in one; copies"
                                + " behind a round robin included. best/ has the command lines of pools for prompts and outputs"
                                + " that hold.");
    }
}
