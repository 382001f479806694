package dev.stagesim.contract;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Conditions of a result. Every verdict states them, {@code --json} prints them, and {@code conditions.json} stores
 * them.
 */
@Member("conditions.json 1 | Conditions of the result of a run.")
public record RunConditions(
        @Member("Model: name, kind, size and storage.") String model,
        @Member("Devices.") String hardware,
        @Member("Engine or framework, with the version of its step-time card.") String engine,
        @Member("Parallelism and replicas.") String parallelism,
        @Member("Prompt and output lengths and number of requests, or sequence and batch.") String workload,
        @Member("Arrival process, offered rate or concurrency; empty if there is none.") String load,
        @Member("Seeds of the random draws; empty if nothing is drawn.") String seeds,
        @Member("Maximum prompt plus output tokens of a request; empty if there is no limit.") String contextLimit,
        @Member("Requests or tokens that a length limit removed, with the key that changes it.") List<String> truncated,
        @Member("Inputs outside the range of the measured or computed times.") List<String> extrapolated,
        @Member("Effects that are not modelled.") List<String> notModelled,
        @Member(
                        value = "Median errors of such predictions against published measurements, or that none exist;"
                                + " missing without a claim.",
                        isLeftOut = true)
                Optional<String> evidence) {
    public RunConditions {
        truncated = List.copyOf(truncated);
        extrapolated = List.copyOf(extrapolated);
        notModelled = List.copyOf(notModelled);
    }

    /** Creates conditions without published measurements. */
    public RunConditions(
            String model,
            String hardware,
            String engine,
            String parallelism,
            String workload,
            String load,
            String seeds,
            String contextLimit,
            List<String> truncated,
            List<String> extrapolated,
            List<String> notModelled) {
        this(
                model,
                hardware,
                engine,
                parallelism,
                workload,
                load,
                seeds,
                contextLimit,
                truncated,
                extrapolated,
                notModelled,
                Optional.empty());
    }

    /** Returns all conditions except the lists and the evidence as one sentence. */
    public String sentence() {
        return Stream.of(model, engine, hardware, parallelism, workload, load, seeds, limit())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; ", "", "."));
    }

    private String limit() {
        return contextLimit.isEmpty() ? "" : "context limit " + contextLimit;
    }

    /** Adds changed values of the cards to the names of the cards. */
    public RunConditions changed(List<String> modelKeys, List<String> hardwareKeys) {
        return new RunConditions(
                named(model, modelKeys),
                named(hardware, hardwareKeys),
                engine,
                parallelism,
                workload,
                load,
                seeds,
                contextLimit,
                truncated,
                extrapolated,
                notModelled,
                evidence);
    }

    private static String named(String card, List<String> changes) {
        return changes.isEmpty() ? card : card + " (changed: " + String.join(", ", changes) + ")";
    }

    /** Adds effects that are not modelled. */
    public RunConditions without(List<String> effects) {
        return with(extrapolated, joined(notModelled, effects), evidence);
    }

    /** Adds inputs outside the range of the step times. */
    public RunConditions beyond(List<String> inputs) {
        return with(joined(extrapolated, inputs), notModelled, evidence);
    }

    /** Adds the published errors. */
    public RunConditions evidence(Optional<String> published) {
        return with(extrapolated, notModelled, published);
    }

    private static List<String> joined(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private RunConditions with(List<String> inputs, List<String> effects, Optional<String> published) {
        return new RunConditions(
                model,
                hardware,
                engine,
                parallelism,
                workload,
                load,
                seeds,
                contextLimit,
                truncated,
                inputs,
                effects,
                published);
    }
}
