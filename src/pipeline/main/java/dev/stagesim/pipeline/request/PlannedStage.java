package dev.stagesim.pipeline.request;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One run of a planned chain of runs.
 *
 * @param stage the stage of the run
 * @param role the role of the run for its downstream stage; empty for the last run
 * @param given the finished run that the user named; empty if the stage will run
 */
public record PlannedStage(String stage, String role, Optional<Path> given) {
    /** Returns the upstream runs of a plan and then its own run. A run with several consumers is listed once. */
    public static List<PlannedStage> of(Plan<?> plan) {
        List<PlannedStage> links = new ArrayList<>();
        collect(plan, "", 0, new ArrayList<>(), links);
        return links;
    }

    /** A plan and the number of its repetition. */
    private record Seen(Plan<?> plan, int repetition) {}

    private static void collect(Plan<?> plan, String role, int further, List<Seen> seen, List<PlannedStage> links) {
        Seen visit = new Seen(plan, plan.repeatable() ? further : 0);
        if (seen.contains(visit)) {
            return;
        }
        seen.add(visit);
        for (Plan.Input input : plan.inputs()) {
            String of = input.upstream().role();
            input.given()
                    .ifPresent(run -> links.add(new PlannedStage(run.meta().runType(), of, Optional.of(run.dir()))));
            input.made()
                    .ifPresent(
                            made -> collect(made, of, further + input.upstream().further(), seen, links));
        }
        links.add(new PlannedStage(plan.name(), role, Optional.empty()));
    }

    /** Returns the state of the run as text. */
    public String description() {
        String suffix = role.isEmpty() ? "" : " as " + role;
        return given.map(dir -> "is given" + suffix + ": " + dir).orElse("would run" + suffix);
    }
}
