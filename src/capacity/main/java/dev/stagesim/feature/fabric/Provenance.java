package dev.stagesim.feature.fabric;

import java.util.ArrayList;
import java.util.List;

/** Links the metrics of a plan to their source runs or files. */
final class Provenance {
    private Provenance() {}

    /** Returns the link to the source of a metric; empty for the closed form. */
    static String of(FabricPlan plan, String metric) {
        if (plan.phases().isEmpty()) {
            return "";
        }
        return switch (metric) {
            case FabricPlan.TTFT -> plan.worst(FabricPlan.Phase::p99TtftMs).serviceRun();
            case FabricPlan.TPOT -> plan.worst(FabricPlan.Phase::p99TpotMs).serviceRun();
            default -> plan.worst(FabricPlan.Phase::rate).capacityRun();
        };
    }

    /** Returns the name of the source evaluation or run of a metric; empty for the closed form. */
    static String evaluation(FabricPlan plan, String metric) {
        String link = of(plan, metric);
        String file = link.substring(link.lastIndexOf('/') + 1);
        return link.startsWith("../") ? link.split("/", 0)[3] : file.replace(".json", "");
    }

    static List<String> links(FabricPlan plan) {
        List<String> links = new ArrayList<>();
        plan.phases().forEach(phase -> {
            links.add(phase.capacityRun());
            links.add(phase.serviceRun());
        });
        return links.stream().filter(link -> !link.isEmpty()).distinct().toList();
    }
}
