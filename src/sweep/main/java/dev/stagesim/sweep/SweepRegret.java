package dev.stagesim.sweep;

import dev.stagesim.report.Explorer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The cost of a decision by simulation: the measured value of the job with the best simulated metric, compared with the
 * best measured value.
 *
 * @param figure the metric of the decision
 * @param jobs number of jobs that are both simulated and measured
 * @param chosen the job with the best simulated metric
 * @param chosenMeasured its measured metric
 * @param best the job with the best measured metric
 * @param bestMeasured its measured metric
 */
record SweepRegret(String figure, int jobs, String chosen, double chosenMeasured, String best, double bestMeasured) {
    /** Returns the loss relative to the best measured metric; 0 if both choose the same job. */
    double share() {
        double by = Explorer.lowerIsBetter(figure) ? chosenMeasured - bestMeasured : bestMeasured - chosenMeasured;
        return bestMeasured == 0 ? 0 : by / Math.abs(bestMeasured);
    }

    /** Returns one regret per common metric, over the jobs with equal values of all common keys. */
    static List<SweepRegret> of(List<JobOutcome> simulated, List<JobOutcome> measured) {
        List<String> keys = new ArrayList<>(new SweepTables(simulated).swept());
        keys.retainAll(new SweepTables(measured).swept());
        Map<List<String>, JobOutcome> there = new LinkedHashMap<>();
        for (JobOutcome job : measured) {
            if (job.run().isPresent()) {
                there.putIfAbsent(place(job, keys), job);
            }
        }
        Map<JobOutcome, JobOutcome> pairs = new LinkedHashMap<>();
        for (JobOutcome job : simulated) {
            JobOutcome other = there.get(place(job, keys));
            if (job.run().isPresent() && other != null && !keys.isEmpty()) {
                pairs.put(job, other);
            }
        }
        TreeSet<String> names = new TreeSet<>();
        pairs.forEach((job, other) -> {
            names.addAll(figures(job).keySet());
            names.retainAll(union(pairs));
        });
        List<SweepRegret> all = new ArrayList<>();
        for (String name : names) {
            regret(name, pairs, keys).ifPresent(all::add);
        }
        return all;
    }

    private static TreeSet<String> union(Map<JobOutcome, JobOutcome> pairs) {
        TreeSet<String> names = new TreeSet<>();
        pairs.values().forEach(other -> names.addAll(figures(other).keySet()));
        return names;
    }

    private static Optional<SweepRegret> regret(String name, Map<JobOutcome, JobOutcome> pairs, List<String> keys) {
        int sign = Explorer.lowerIsBetter(name) ? 1 : -1;
        int count = 0;
        double best = Double.POSITIVE_INFINITY;
        double bestSeen = Double.POSITIVE_INFINITY;
        String chosen = "";
        String seen = "";
        double chosenMeasured = 0;
        for (Map.Entry<JobOutcome, JobOutcome> pair : pairs.entrySet()) {
            Double simulated = figures(pair.getKey()).get(name);
            Double real = figures(pair.getValue()).get(name);
            if (simulated == null || real == null) {
                continue;
            }
            count++;
            String words = String.join(" ", place(pair.getKey(), keys));
            if (sign * simulated < best) {
                best = sign * simulated;
                chosen = words;
                chosenMeasured = real;
            }
            if (sign * real < bestSeen) {
                bestSeen = sign * real;
                seen = words;
            }
        }
        return count < 2
                ? Optional.empty()
                : Optional.of(new SweepRegret(name, count, chosen, chosenMeasured, seen, sign * bestSeen));
    }

    private static SortedMap<String, Double> figures(JobOutcome job) {
        return job.run().map(run -> run.meta().headlines()).orElseGet(TreeMap::new);
    }

    private static List<String> place(JobOutcome job, List<String> keys) {
        Map<String, String> values = SweepTables.values(job.overrides());
        return keys.stream()
                .map(key -> key + "=" + values.getOrDefault(key, ""))
                .toList();
    }
}
