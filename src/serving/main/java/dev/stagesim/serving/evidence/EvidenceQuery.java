package dev.stagesim.serving.evidence;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.evidence.PublishedErrors.MetricErrors;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The values of a deployment that select published errors.
 *
 * @param engine name of the engine card
 * @param devices devices of one copy of the model
 * @param isPiped whether the copy has pipeline stages, which measured groups do not separate
 * @param hasDrafts whether the copy drafts tokens, which measured groups do not contain
 */
public record EvidenceQuery(
        String engine, ModelCard model, HardwareCard hardware, int devices, boolean isPiped, boolean hasDrafts) {
    private static final List<String> METRICS = List.of("tpot", "ttft", "e2e", "throughput");
    private static final double PERCENT = 100;

    /** Returns the query for a shape of a model. */
    public static EvidenceQuery of(Shape shape, ModelCard model, HardwareCard hardware) {
        return new EvidenceQuery(
                shape.engine(),
                model,
                hardware,
                shape.devices(),
                shape.pp() > 1,
                shape.drafting().tokens() > 0);
    }

    /** Returns the query for a replica. */
    public static EvidenceQuery of(String engine, ReplicaModel replica) {
        SchedulerSettings scheduler = replica.scheduler();
        int engines = replica.model().isMixtureOfExperts() ? scheduler.dataParallelSize() : 1;
        return new EvidenceQuery(
                engine,
                replica.model(),
                replica.hardware(),
                replica.shared()
                        .map(experts -> experts.sharding().devices())
                        .orElse(replica.devices()
                                * engines
                                * scheduler.contextSharding().prefill()),
                replica.cluster().numPipelineStages() > 1,
                replica.drafts().isPresent());
    }

    /**
     * Returns what measurements show about the step times of a simulated replica. Empty without an engine, for another scheduler
     * than the engine's, and for {@code compat=vidur}.
     *
     * @param engine name of the engine card; empty if unknown
     */
    public static Optional<String> of(PublishedErrors errors, Optional<String> engine, ReplicaModel replica) {
        return engine.filter(name -> replica.compat() == CompatMode.NONE
                        && replica.engine().graphs().execution() != StepCard.Execution.NONE
                        && isOf(name, replica.scheduler()))
                .map(name -> replica.isComputed()
                        ? of(name, replica).sentence(errors)
                        : "no published measurements of step times from a bundle or tables");
    }

    private static boolean isOf(String engine, SchedulerSettings scheduler) {
        SchedulerSettings usual = EngineSchedulers.of(engine);
        return usual.getClass() == scheduler.getClass()
                && (!(usual instanceof VllmV1 first && scheduler instanceof VllmV1 second)
                        || first.isTensorRt() == second.isTensorRt());
    }

    /** Returns the kind of layers, the size, and whether the copy spans several nodes. */
    public String kind() {
        return ConditionText.comparable(model, devices);
    }

    private String where() {
        return kind() + " under " + engine + " on " + hardware.name();
    }

    /** Returns the median published errors of all metrics, or that none exist and the nearest one. */
    private String sentence(PublishedErrors errors) {
        List<String> known = new ArrayList<>();
        for (String metric : METRICS) {
            errors.of(this, metric).ifPresent(error -> known.add(label(metric) + " " + median(error)));
        }
        return known.isEmpty()
                ? none(errors)
                : "median published error of " + String.join(", ", known) + "; " + where() + drafts();
    }

    /**
     * Returns the median published error of the first of the given metrics that has one. Without one, returns the
     * errors of other metrics, or that no measurements exist.
     */
    public String confidence(PublishedErrors errors, List<String> wanted) {
        Optional<String> first = wanted.stream()
                .flatMap(metric -> known(errors, metric).stream())
                .findFirst();
        return first.or(() -> METRICS.stream()
                        .flatMap(metric -> known(errors, metric).stream())
                        .findFirst()
                        .map(other -> "no published error of "
                                + wanted.stream().map(EvidenceQuery::label).collect(Collectors.joining(" or ")) + "; "
                                + other))
                .orElseGet(() -> "confidence unknown: " + none(errors));
    }

    private static String label(String metric) {
        return metric.equals("throughput") ? metric : metric.toUpperCase(Locale.ROOT);
    }

    /** Returns the median published error of a metric; empty if too few were measured. */
    private Optional<String> known(PublishedErrors errors, String metric) {
        return errors.of(this, metric)
                .map(known -> "median published error of " + label(metric) + " "
                        + percent(known) + " (" + Numbers.count(known.rows()) + " rows of "
                        + known.where() + drafts() + ")");
    }

    /** Returns that no published measurements exist, with the nearest error of TPOT. */
    private String none(PublishedErrors errors) {
        return "no published measurements of " + where() + (isPiped ? " with pipeline stages" : "")
                + errors.nearest(this, "tpot")
                        .map(known -> "; nearest: median published error of TPOT "
                                + percent(known) + " (" + Numbers.count(known.rows())
                                + " rows of " + known.where() + ")")
                        .orElse("");
    }

    private String drafts() {
        return hasDrafts ? ", without drafts" : "";
    }

    private static String percent(MetricErrors error) {
        return Numbers.fixed(PERCENT * error.median(), 0) + " %";
    }

    private static String median(MetricErrors error) {
        return percent(error) + " (" + Numbers.count(error.rows()) + " rows)";
    }
}
