package dev.stagesim.pipeline;

import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds overrides of sections that nothing reads, because the input they would shape is given by directory. */
final class NoEffect {
    private NoEffect() {}

    static List<Problem> overrides(Plan<?> plan) {
        Set<String> directoryKeys = plan.all()
                .flatMap(part -> part.inputs().stream())
                .filter(input -> input.given().isPresent())
                .map(input -> input.upstream().key())
                .collect(Collectors.toSet());
        Set<String> sections = Sections.passedTo(plan.stage().spec().settings()).keySet();
        List<Problem> problems = new ArrayList<>();
        for (String override : plan.request().overrides()) {
            String section = Sections.of(override);
            boolean harmless = !sections.contains(section) || directoryKeys.contains(Sections.key(override));
            if (!harmless && !isRead(plan, section)) {
                Set<String> instead = new TreeSet<>();
                givenInstead(plan, section, instead);
                String why = instead.isEmpty()
                        ? "nothing in this run reads it"
                        : "has no effect because " + String.join(" and ", instead) + " is given";
                problems.add(Problem.of("config error", override, why));
            }
        }
        return problems;
    }

    /** True when the stage, or one of those that are run for it, reads the section. */
    private static boolean isRead(Plan<?> plan, String section) {
        List<String> roles = Sections.passedTo(plan.stage().spec().settings()).get(section);
        if (roles == null || roles.isEmpty()) {
            return roles != null && !unread(plan).contains(section);
        }
        return plan.inputs().stream()
                .filter(input -> roles.contains(input.upstream().role()))
                .flatMap(input -> input.made().stream())
                .anyMatch(made -> isRead(made, section));
    }

    private static <S extends Record> List<String> unread(Plan<S> plan) {
        return plan.stage().unread(plan.settings());
    }

    private static void givenInstead(Plan<?> plan, String section, Set<String> keys) {
        List<String> roles = Sections.passedTo(plan.stage().spec().settings()).get(section);
        if (roles == null) {
            return;
        }
        for (Plan.Input input : plan.inputs()) {
            if (roles.contains(input.upstream().role())) {
                if (input.given().isPresent()) {
                    keys.add(input.upstream().key());
                }
                input.made().ifPresent(made -> givenInstead(made, section, keys));
            }
        }
    }
}
