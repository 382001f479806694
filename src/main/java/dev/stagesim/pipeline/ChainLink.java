package dev.stagesim.pipeline;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One run of a chain as it is planned.
 *
 * @param stage stage that makes the run, or made it
 * @param role what the run is to the stage that asks for it; empty for the last one
 * @param given the finished run that was named; empty when the stage is to run
 */
public record ChainLink(String stage, String role, Optional<Path> given) {
    /** The runs that a plan rests on, then its own; a run that several ask for is listed once. */
    static List<ChainLink> of(Plan<?> plan) {
        List<ChainLink> links = new ArrayList<>();
        collect(plan, "", 0, new ArrayList<>(), links);
        return links;
    }

    /** A plan, and which of its repetitions. */
    private record Seen(Plan<?> plan, int repetition) {}

    private static void collect(Plan<?> plan, String role, int further, List<Seen> seen, List<ChainLink> links) {
        Seen one = new Seen(plan, plan.repeatable() ? further : 0);
        if (seen.contains(one)) {
            return;
        }
        seen.add(one);
        for (Plan.Input input : plan.inputs()) {
            String of = input.upstream().role();
            input.given().ifPresent(run -> links.add(new ChainLink(run.meta().runType(), of, Optional.of(run.dir()))));
            input.made()
                    .ifPresent(
                            made -> collect(made, of, further + input.upstream().further(), seen, links));
        }
        links.add(new ChainLink(plan.name(), role, Optional.empty()));
    }

    /** What becomes of it, for people. */
    public String words() {
        String whose = role.isEmpty() ? "" : " as " + role;
        return given.map(dir -> "is given" + whose + ": " + dir).orElse("would run" + whose);
    }
}
