package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.io.measured.Operations.Step;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Step times of an engine by type of step and batch size. */
record EngineSteps(List<Step> steps) {
    EngineSteps {
        steps = List.copyOf(steps);
    }

    /** Returns the medians of decode steps and of steps with prompts, in ms. */
    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        if (steps.isEmpty()) {
            return figures;
        }
        figures.put("steps", (double) steps.size());
        put(figures, "decode_step_p50_ms", step -> step.prefillRequests() == 0);
        put(figures, "prefill_step_p50_ms", step -> step.prefillRequests() > 0);
        return figures;
    }

    private void put(Map<String, Double> figures, String name, Predicate<Step> kind) {
        double[] times = steps.stream().filter(kind).mapToDouble(Step::timeNs).toArray();
        if (times.length > 0) {
            figures.put(name, Quantiles.of(times, 0.5) / NS_PER_MS);
        }
    }

    /** Returns one row per power of two of the decode batch, and one per power of two of the prompt tokens. */
    DataTable table() {
        Map<Long, List<Step>> decode = new TreeMap<>();
        Map<Long, List<Step>> prefill = new TreeMap<>();
        for (Step step : steps) {
            boolean isDecode = step.prefillRequests() == 0;
            long size = Long.highestOneBit(isDecode ? step.decodeRequests() : step.prefillTokens());
            (isDecode ? decode : prefill)
                    .computeIfAbsent(size, key -> new ArrayList<>())
                    .add(step);
        }
        DataTable table = new DataTable("Time of a step").columns("step", "#n", "#P50 (ms)", "#P90 (ms)", "#max (ms)");
        decode.forEach((size, group) -> row(table, "decode, " + range(size) + " requests", group));
        prefill.forEach((size, group) -> row(table, "with " + range(size) + " prompt tokens", group));
        return table;
    }

    private static String range(long from) {
        return from <= 1 ? String.valueOf(from) : from + " to " + (2 * from - 1);
    }

    private static void row(DataTable table, String name, List<Step> steps) {
        double[] sorted = Quantiles.sorted(
                steps.stream().mapToDouble(step -> step.timeNs() / NS_PER_MS).toArray());
        table.row(
                name,
                Numbers.count(sorted.length),
                Numbers.significant(Quantiles.ofSorted(sorted, 0.5), 4),
                Numbers.significant(Quantiles.ofSorted(sorted, 0.9), 4),
                Numbers.significant(sorted[sorted.length - 1], 4));
    }
}
