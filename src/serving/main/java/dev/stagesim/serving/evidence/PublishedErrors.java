package dev.stagesim.serving.evidence;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineChoice.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Errors of predictions against published measurements by engine, device and kind of model, from {@code
 * specs/fidelity.md}.
 */
public final class PublishedErrors {
    /** The generated page with the errors, below the product's home. */
    public static final String FILE = "specs/fidelity.md";

    /** The table of {@code stage fidelity} with the groups that have enough rows. */
    private static final String TABLE = "## By engine, device and kind of model";

    private static final double PERCENT = 100;
    private static final int MAX_NEAREST = 10;
    private static final Map<String, String> METRICS =
            Map.of("ttft", "first token, prefill", "tpot", "token time", "e2e", "end to end");

    private final Map<String, MetricErrors> errors = new LinkedHashMap<>();

    private final List<Group> groups = new ArrayList<>();

    private PublishedErrors() {}

    /** A metric of a group of measurements: one engine, device and kind of model. */
    public record Group(String engine, String device, String kind, String metric, MetricErrors errors) {}

    /** Returns the groups in the order of the page. */
    public List<Group> groups() {
        return Collections.unmodifiableList(groups);
    }

    /** Returns the groups of an engine, a device and a kind of model; an empty argument selects all. */
    public List<Group> groups(Optional<String> engine, Optional<String> device, Optional<String> kind) {
        return groups.stream()
                .filter(group ->
                        engine.map(group.engine().replace('.', '_')::equals).orElse(true))
                .filter(group -> device.map(group.device()::equals).orElse(true))
                .filter(group -> kind.map(group.kind()::equals).orElse(true))
                .toList();
    }

    /**
     * Returns the groups that are nearest to a deployment without errors: of the engine in any version, of models with the
     * same kind of layers, and of devices of the same architecture if there are any. An empty argument selects all current
     * engines or kinds.
     *
     * @param isAlike whether a device has the architecture of the deployment's device
     */
    public List<Group> nearest(
            Optional<String> engine, Optional<String> device, Optional<String> kind, Predicate<String> isAlike) {
        Optional<Kind> family = engine.flatMap(Kind::of);
        List<Group> alike = groups.stream()
                .filter(group -> Kind.of(group.engine())
                        .filter(own -> family.isEmpty() || family.get() == own)
                        .isPresent())
                .filter(group -> kind.map(name -> layers(name).equals(layers(group.kind())))
                        .orElse(true))
                .sorted(Comparator.<Group, Boolean>comparing(
                                group -> kind.filter(group.kind()::equals).isEmpty())
                        .thenComparing(
                                group -> device.filter(group.device()::equals).isEmpty())
                        .thenComparing(
                                group -> engine.filter(group.engine()::equals).isEmpty())
                        .thenComparing(group -> -group.errors().rows()))
                .toList();
        List<Group> near =
                alike.stream().filter(group -> isAlike.test(group.device())).toList();
        return (near.isEmpty() ? alike : near).stream().limit(MAX_NEAREST).toList();
    }

    /** Returns the kind of layers, which is the first word of a kind of model. */
    private static String layers(String kind) {
        return kind.split(" ", 2)[0];
    }

    /**
     * Returns the errors of the nearest groups with a metric, for a deployment without errors. Groups with the model's kind of
     * layers come first, on the engine and the device, then on the engine, then on any engine. Models of equal size are preferred to
     * larger groups.
     */
    Optional<MetricErrors> nearest(EvidenceQuery query, String metric) {
        Optional<String> engine = Optional.of(query.engine());
        Optional<String> device = Optional.of(query.hardware().name());
        String same = query.kind();
        String layers = ConditionText.kind(query.model()) + " ";
        Predicate<Group> isMetric = group -> group.metric().equals(METRICS.get(metric));
        Predicate<Group> isAlike = group -> group.kind().startsWith(layers);
        Stream<Supplier<List<Group>>> steps = Stream.of(
                () -> groups(engine, device, Optional.empty()),
                () -> groups(engine, Optional.empty(), Optional.empty()),
                () -> groups(Optional.empty(), Optional.empty(), Optional.empty()));
        return steps.map(step -> largest(step.get(), isMetric.and(isAlike), same))
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> largest(groups(engine, device, Optional.empty()), isMetric, same));
    }

    private static Optional<MetricErrors> largest(List<Group> groups, Predicate<Group> isWanted, String same) {
        return groups.stream()
                .filter(isWanted)
                .max(Comparator.<Group, Boolean>comparing(group -> same.startsWith(group.kind()))
                        .thenComparing(group -> group.errors().rows()))
                .map(Group::errors);
    }

    /**
     * Errors of one metric.
     *
     * @param where measured engine, device and kind of model
     * @param rows number of measurements
     * @param median relative error that half of the predictions do not exceed
     * @param p90 relative error that nine of ten predictions do not exceed
     */
    public record MetricErrors(String where, int rows, double median, double p90) {
        /** Returns the lower end of the range that covers nine of ten measurements. */
        public double low(double predicted) {
            return predicted / (1 + p90);
        }

        /** Returns the upper end of that range; infinite if the error is at least 100 %. */
        public double high(double predicted) {
            return p90 < 1 ? predicted / (1 - p90) : Double.POSITIVE_INFINITY;
        }
    }

    /** Returns the page with the errors if it exists; stages that quote errors read it. */
    public static List<Path> files(Path home) {
        Path file = home.resolve(FILE);
        return Files.exists(file) ? List.of(file) : List.of();
    }

    /** Reads the errors; returns none if the page does not exist. */
    public static PublishedErrors read(Path home) throws IOException {
        PublishedErrors all = new PublishedErrors();
        for (Path file : files(home)) {
            String section = "";
            for (String line : InputFile.text(file).lines().toList()) {
                section = line.startsWith("## ") ? line : section;
                all.row(section, line.split("\\|", -1));
            }
        }
        return all;
    }

    private void row(String section, String[] cells) {
        int metric = 4;
        if (!section.equals(TABLE)
                || cells.length < metric + 4
                || !cells[metric + 1].strip().matches("\\d+")) {
            return;
        }
        String engine = cells[1].strip();
        String device = cells[2].strip();
        String kind = cells[3].strip();
        MetricErrors found = new MetricErrors(
                kind + " under " + engine + " on " + device,
                Integer.parseInt(cells[metric + 1].strip()),
                number(cells[metric + 2]),
                number(cells[metric + 3]));
        groups.add(new Group(engine, device, kind, cells[metric].strip(), found));
        errors.put(key(engine, device, kind, cells[metric].strip()), found);
    }

    private static double number(String cell) {
        return Double.parseDouble(cell.strip().replace(",", "")) / PERCENT;
    }

    private static String key(String engine, String device, String kind, String metric) {
        return engine.replace('.', '_') + "|" + device + "|" + kind + "|" + metric;
    }

    /**
     * Returns the errors of an engine on a device for one kind of model and number of devices; empty if too few were
     * measured. Measured groups do not separate pipelines, so pipelined deployments have no errors.
     *
     * @param metric ttft, tpot, e2e or throughput
     */
    public Optional<MetricErrors> of(EvidenceQuery query, String metric) {
        return query.isPiped()
                ? Optional.empty()
                : Optional.ofNullable(errors.get(key(
                        query.engine(), query.hardware().name(), query.kind(), METRICS.getOrDefault(metric, metric))));
    }
}
