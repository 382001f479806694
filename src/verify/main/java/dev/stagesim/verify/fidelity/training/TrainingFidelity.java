package dev.stagesim.verify.fidelity.training;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.verify.fidelity.corpus.Cards;
import dev.stagesim.verify.fidelity.corpus.CorpusReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Compares predictions with published training steps: errors of step time by source and device, of memory, and of the
 * selected strategy.
 */
public final class TrainingFidelity implements CorpusReport {
    private static final List<String> COLUMNS =
            List.of("id", "group", "gpus", "tp", "pp", "micro_batch", "step_time_s");
    private static final int WORST = 10;

    private final MeasuredSteps.Rows rows;
    private final TrainingErrors errors;

    private TrainingFidelity(MeasuredSteps.Rows rows) {
        this.rows = rows;
        errors = TrainingErrors.of(rows.steps());
    }

    /** Returns the training steps of a folder; empty if it has no table of training steps. */
    public static Optional<TrainingFidelity> of(Path corpus, Cards cards) throws IOException {
        if (!Files.isDirectory(corpus)) {
            return Optional.empty();
        }
        List<MeasuredStep> steps = new ArrayList<>();
        Map<String, String> refused = new TreeMap<>();
        for (Path file : Directories.list(corpus, file -> file.toString().endsWith(".csv"))) {
            if (COLUMNS.stream().allMatch(LooseTable.read(file)::has)) {
                MeasuredSteps.Rows rows = MeasuredSteps.read(file, cards::hardware);
                steps.addAll(rows.steps());
                refused.putAll(rows.refused());
            }
        }
        return steps.isEmpty() && refused.isEmpty()
                ? Optional.empty()
                : Optional.of(new TrainingFidelity(new MeasuredSteps.Rows(steps, refused)));
    }

    @Override
    public String headline() {
        TrainingErrors.Group all = errors.all();
        return all.rows() + " training steps, without fits to single steps: median error "
                + Numbers.fixed(all.median(), 1)
                + " %, 90th percentile " + Numbers.fixed(all.tail(), 1) + " %; "
                + Count.of(rows.refused().size(), "row")
                + " cannot be predicted";
    }

    @Override
    public List<DataTable> tables() {
        return List.of(
                table("Step time by source", errors.by(MeasuredStep::source)),
                table(
                        "Step time by model",
                        errors.by(row -> row.source() + " " + row.model().name())),
                table(
                        "Step time by device and precision",
                        errors.by(row -> row.machine().name() + " " + row.job().precision())),
                table("Held-out step times, with one factor per model, device and precision", errors.calibrated()),
                table("Memory by source", TrainingErrors.memory(rows.steps())),
                choices(),
                worst(),
                refused());
    }

    private static DataTable table(String caption, List<TrainingErrors.Group> groups) {
        DataTable table = new DataTable(caption).columns("Group", "#Rows", "#Median %", "#P90 %", "#Signed median %");
        return table.rows(
                groups,
                group -> List.of(
                        group.group(),
                        Integer.toString(group.rows()),
                        Numbers.fixed(group.median(), 1),
                        Numbers.fixed(group.tail(), 1),
                        Numbers.signed(group.bias(), 1)));
    }

    private List<String> sources() {
        return rows.steps().stream()
                .map(MeasuredStep::source)
                .distinct()
                .sorted()
                .toList();
    }

    private DataTable choices() {
        DataTable table = new DataTable("Extra time of the selected strategy over the best measured strategy")
                .columns("Source", "#Groups", "#Mean %", "#P90 %");
        for (String source : sources()) {
            TrainingErrors.Choice choice = errors.choice(source);
            if (choice.groups() > 0) {
                table.row(
                        source,
                        Integer.toString(choice.groups()),
                        Numbers.fixed(choice.mean(), 1),
                        Numbers.fixed(choice.tail(), 1));
            }
        }
        return table;
    }

    private DataTable worst() {
        Map<String, Double> predicted = errors.predictions();
        List<MeasuredStep> measured = rows.steps().stream()
                .filter(row -> predicted.containsKey(row.id()))
                .sorted(java.util.Comparator.comparingDouble(row -> -Math.abs(percent(row, predicted))))
                .limit(WORST)
                .toList();
        DataTable table = new DataTable("Largest errors")
                .columns("Row", "Model", "Device", "#Measured (s)", "#Predicted (s)", "#%");
        return table.rows(
                measured,
                row -> List.of(
                        row.id(),
                        row.model().name(),
                        row.machine().name(),
                        Numbers.significant(row.seconds().orElseThrow(), 4),
                        Numbers.significant(seconds(row, predicted), 4),
                        Numbers.signed(percent(row, predicted), 1)));
    }

    private static double seconds(MeasuredStep row, Map<String, Double> predicted) {
        Double seconds = predicted.get(row.id());
        if (seconds == null) {
            throw new IllegalStateException("no prediction of " + row.id());
        }
        return seconds;
    }

    private static double percent(MeasuredStep row, Map<String, Double> predicted) {
        return 100 * (seconds(row, predicted) / row.seconds().orElseThrow() - 1);
    }

    private DataTable refused() {
        Map<String, Integer> reasons = new TreeMap<>();
        rows.refused().values().forEach(why -> reasons.merge(why, 1, Integer::sum));
        DataTable table = new DataTable("Rows that cannot be predicted").columns("Reason", "#Rows");
        reasons.forEach((why, count) -> table.row(why, Integer.toString(count)));
        return table;
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("id,group,measured_s,predicted_s,percent"));
        Map<String, Double> predicted = errors.predictions();
        for (MeasuredStep row : rows.steps()) {
            if (predicted.containsKey(row.id())) {
                lines.add(row.id() + "," + row.group() + "," + row.seconds().orElseThrow() + ","
                        + seconds(row, predicted) + "," + Numbers.fixed(percent(row, predicted), 2));
            }
        }
        return lines;
    }

    @Override
    public JsonValue.Obj json() {
        TrainingErrors.Group all = errors.all();
        List<JsonValue> sources = new ArrayList<>();
        for (TrainingErrors.Group group : errors.by(MeasuredStep::source)) {
            sources.add(object(group));
        }
        List<JsonValue> memory = new ArrayList<>();
        TrainingErrors.memory(rows.steps()).forEach(group -> memory.add(object(group)));
        List<JsonValue> calibrated = new ArrayList<>();
        errors.calibrated().forEach(group -> calibrated.add(object(group)));
        return JsonValue.object()
                .put("calibrated", JsonValue.of(calibrated))
                .put("rows", (long) all.rows())
                .put("median_abs_percent", all.median())
                .put("p90_abs_percent", all.tail())
                .put("refused", (long) rows.refused().size())
                .put("sources", JsonValue.of(sources))
                .put("memory", JsonValue.of(memory))
                .build();
    }

    private static JsonValue object(TrainingErrors.Group group) {
        return JsonValue.object()
                .put("group", group.group())
                .put("n", (long) group.rows())
                .put("median_abs_percent", group.median())
                .put("p90_abs_percent", group.tail())
                .put("median_percent", group.bias())
                .build();
    }

    @Override
    public List<String> assumptions() {
        return List.of(
                "rows without links or networks use the values of the hardware card",
                "Megatron of 2021 and 2022 needs 0.93 ms to launch each layer, and has neither fused attention nor overlap",
                "if a row does not state expert tensor parallelism, it equals tensor parallelism if the ranks"
                        + " of a stage allow it, and otherwise 1",
                "fused attention of 2023, and of PyTorch on devices newer than Ampere, reaches 0.6 of the current rate");
    }

    @Override
    public String title() {
        return "Predictions of training steps";
    }
}
