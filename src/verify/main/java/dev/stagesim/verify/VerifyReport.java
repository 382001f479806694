package dev.stagesim.verify;

import dev.stagesim.cli.SuiteRunner;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a suite on a corpus.
 *
 * @param suite name of the suite
 * @param results one per case, in order
 */
public record VerifyReport(String suite, List<CaseResult> results) implements SuiteRunner.Report {
    private static final int SHOWN = 20;

    public VerifyReport {
        results = List.copyOf(results);
    }

    public int cases() {
        return results.size();
    }

    /** Counts the exactly reproduced cases and the documented deviations. */
    int passed() {
        return (int) results.stream().filter(CaseResult::isPassed).count();
    }

    public List<CaseResult> failed() {
        return results.stream().filter(result -> !result.isPassed()).toList();
    }

    @Override
    public JsonValue.Obj json() {
        List<JsonValue> failures = new ArrayList<>();
        for (CaseResult result : failed()) {
            failures.add(JsonValue.object()
                    .put("id", result.id())
                    .put("why", result.part() + ": " + result.why())
                    .build());
        }
        List<JsonValue> rules = new ArrayList<>();
        deviations()
                .forEach((deviation, ids) -> rules.add(JsonValue.object()
                        .put("rule", deviation.rule())
                        .put("spec", deviation.spec())
                        .put("behaviour", deviation.behaviour())
                        .put("ids", JsonValue.strings(ids))
                        .build()));
        return JsonValue.object()
                .put("suite", suite)
                .put("cases", cases())
                .put("passed", passed())
                .put("failed", JsonValue.of(failures))
                .put("deviations", JsonValue.of(rules))
                .build();
    }

    /** One line per part, the first failures, and every rule applied. */
    @Override
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        Map<String, int[]> parts = new LinkedHashMap<>();
        for (CaseResult result : results) {
            int[] count = parts.computeIfAbsent(result.part(), part -> new int[2]);
            count[0] += result.isPassed() ? 1 : 0;
            count[1]++;
        }
        parts.forEach((part, count) -> lines.add(part + " " + count[0] + " of " + count[1]));
        List<CaseResult> failures = failed();
        for (CaseResult result : failures.subList(0, Math.min(SHOWN, failures.size()))) {
            lines.add("failed " + result.part() + " " + result.id() + ": " + result.why());
        }
        if (failures.size() > SHOWN) {
            lines.add("and " + (failures.size() - SHOWN) + " more failures; --json lists all");
        }
        deviations()
                .forEach((deviation, ids) -> lines.add("deviation " + deviation.rule() + " (" + deviation.spec() + "): "
                        + deviation.behaviour() + ": " + String.join(" ", ids)));
        return lines;
    }

    private Map<Deviation, List<String>> deviations() {
        Map<Deviation, List<String>> rules = new LinkedHashMap<>();
        for (CaseResult result : results) {
            result.deviation().ifPresent(rule -> rules.computeIfAbsent(rule, none -> new ArrayList<>())
                    .add(result.id()));
        }
        return rules;
    }

    @Override
    public void check() {
        List<CaseResult> failures = failed();
        if (!failures.isEmpty()) {
            CaseResult first = failures.get(0);
            throw StageException.check(Problem.of(
                            "verify",
                            "suite " + suite,
                            failures.size() + " of " + cases() + " cases are not reproduced")
                    .note("first", first.part() + " " + first.id() + ": " + first.why()));
        }
    }
}
