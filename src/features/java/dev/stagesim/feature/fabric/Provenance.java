package dev.stagesim.feature.fabric;

import java.util.ArrayList;
import java.util.List;

/** Which run or file each figure of a plan comes from. */
final class Provenance {
    private Provenance() {}

    /** Link to what a figure rests on; empty for the closed-form model. */
    static String of(FabricPlan plan, String figure) {
        if (plan.phases().isEmpty()) {
            return "";
        }
        return switch (figure) {
            case FabricPlan.TTFT -> plan.worst(FabricPlan.Phase::p99TtftMs).serviceRun();
            case FabricPlan.TPOT -> plan.worst(FabricPlan.Phase::p99TpotMs).serviceRun();
            default -> plan.worst(FabricPlan.Phase::rate).capacityRun();
        };
    }

    /** The evaluation or run that a figure rests on, by its name; empty for the closed-form model. */
    static String evaluation(FabricPlan plan, String figure) {
        String link = of(plan, figure);
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
