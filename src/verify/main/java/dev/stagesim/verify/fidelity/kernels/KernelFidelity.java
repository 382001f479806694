package dev.stagesim.verify.fidelity.kernels;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.ExpertLibrary;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.kernels.Kernels;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.StateKernels;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.verify.fidelity.corpus.Cards;
import dev.stagesim.verify.fidelity.corpus.CorpusReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * Compares the times of single kernels with tables of measured kernels: products, experts, attention and collectives.
 *
 * <p>Tables are compressed CSV files. The report counts the rows that are not predicted, by reason.
 */
public final class KernelFidelity implements CorpusReport {
    private static final double BYTES_PER_MB = 1e6;

    private final TreeMap<String, List<Double>> groups = new TreeMap<>();
    private final TreeMap<String, Integer> refused = new TreeMap<>();

    private boolean hasKernels;

    private KernelFidelity() {}

    /** Returns the kernel times of a folder; empty if it has no table of kernels. */
    public static Optional<KernelFidelity> of(Path corpus, Cards cards) throws IOException {
        if (!Files.isDirectory(corpus)) {
            return Optional.empty();
        }
        List<Path> files = Directories.list(corpus, file -> file.toString().endsWith(".csv.gz"));
        KernelFidelity report = new KernelFidelity();
        StepCard engine = cards.engine("none").orElseThrow();
        for (Path file : files) {
            report.read(file, cards, engine);
        }
        return report.hasKernels ? Optional.of(report) : Optional.empty();
    }

    private void read(Path file, Cards cards, StepCard engine) throws IOException {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            String header = lines.readLine();
            Optional<KernelTable> table =
                    header == null ? Optional.empty() : KernelTable.of(Arrays.asList(header.split(",", -1)));
            String name = Objects.toString(file.getFileName());
            if (table.isEmpty()) {
                refused.merge(
                        "no column of a device or of one time: " + name,
                        (int) lines.lines().count(),
                        Integer::sum);
                return;
            }
            Map<String, Optional<KernelPrediction.Device>> devices = new TreeMap<>();
            NewestVersions newest = NewestVersions.of(file, table.get());
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] cells = line.split(",", -1);
                if (cells.length != table.get().width()) {
                    throw StageException.input(Problem.artifact(
                            file.toString(), "a row has another number of cells than the header: " + line));
                }
                List<KernelTable.Row> rows = table.get().rows(cells);
                if (rows.isEmpty()) {
                    refused.merge("not predicted: " + name + " " + table.get().operation(cells), 1, Integer::sum);
                }
                for (KernelTable.Row row : rows) {
                    hasKernels = true;
                    Optional<KernelPrediction.Device> device =
                            devices.computeIfAbsent(row.device(), id -> cards.hardware(KernelTable.option(id))
                                    .map(card -> device(card, cards, engine)));
                    Optional<String> unlike = newest.isOlder(row)
                            ? Optional.of("older version of an engine: " + row.kind())
                            : device.isEmpty()
                                    ? Optional.of("no hardware card for " + row.device())
                                    : add(new KernelPrediction(row, device.get()));
                    unlike.ifPresent(why -> refused.merge(why, 1, Integer::sum));
                }
            }
        }
    }

    /** Adds the error of a prediction, or returns why the row is not comparable. */
    private Optional<String> add(KernelPrediction prediction) {
        KernelTable.Row row = prediction.row();
        Optional<String> unlike = prediction.whyUnlike();
        if (unlike.isEmpty()) {
            add(row, row.kind() + (prediction.isCached() ? " in L2" : ""), prediction.micros());
        }
        return unlike;
    }

    private static KernelPrediction.Device device(HardwareCard card, Cards cards, StepCard engine) {
        double cached = BYTES_PER_MB * card.memory().onchipMb().orElse(0.0);
        Map<ExpertLibrary, Kernels> experts = new EnumMap<>(ExpertLibrary.class);
        for (ExpertLibrary library : ExpertLibrary.values()) {
            experts.put(library, new Kernels(card, engine.computingExperts(library), cached));
        }
        return new KernelPrediction.Device(
                card,
                new Kernels(card, engine, cached),
                experts,
                new StateKernels(card, engine, cached),
                new Links(card),
                new Links(card, true),
                new ModulePrediction.Layers(card, cards, engine));
    }

    private void add(KernelTable.Row row, String kind, double predicted) {
        double percent = 100 * (predicted / row.micros() - 1);
        for (String group : List.of(kind + " | all", kind + " | " + row.group())) {
            groups.computeIfAbsent(group, key -> new ArrayList<>()).add(percent);
        }
    }

    @Override
    public String headline() {
        int count = groups.entrySet().stream()
                .filter(each -> each.getKey().endsWith("| all"))
                .mapToInt(each -> each.getValue().size())
                .sum();
        return count + " kernel times, without fits to single rows";
    }

    @Override
    public List<DataTable> tables() {
        DataTable table = new DataTable("By kind, device, engine and format")
                .columns("Kernel", "Group", "#Rows", "#Median %", "#P90 %", "#Signed median %");
        groups.forEach((group, errors) -> {
            String[] names = group.split(" \\| ", 2);
            table.row(
                    names[0],
                    names[1],
                    Integer.toString(errors.size()),
                    Numbers.fixed(quantile(errors, 0.5, true), 1),
                    Numbers.fixed(quantile(errors, 0.9, true), 1),
                    Numbers.signed(quantile(errors, 0.5, false), 1));
        });
        DataTable reasons = new DataTable("Rows that cannot be predicted").columns("Reason", "#Rows");
        refused.forEach((why, count) -> reasons.row(why, Integer.toString(count)));
        return List.of(table, reasons);
    }

    private static double quantile(List<Double> errors, double share, boolean isAbsolute) {
        double[] sorted = errors.stream()
                .mapToDouble(each -> isAbsolute ? Math.abs(each) : each)
                .sorted()
                .toArray();
        return Quantiles.ofSorted(sorted, share);
    }

    @Override
    public List<String> assumptions() {
        return List.of(
                "operands below the size of L2 are read from L2, because kernels are measured in a loop",
                "tokens are spread equally over experts",
                "prompts with sparse attention are measured without graphs under SGLang and vLLM; the host launches them in"
                        + " 0.8 and 1.4 ms times its class");
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("group,n,median_abs_percent,p90_abs_percent,median_percent"));
        groups.forEach((group, errors) -> lines.add(group.replace(" | ", " ") + "," + errors.size() + ","
                + quantile(errors, 0.5, true) + "," + quantile(errors, 0.9, true) + ","
                + quantile(errors, 0.5, false)));
        return lines;
    }

    @Override
    public JsonValue json() {
        List<JsonValue> all = new ArrayList<>();
        groups.forEach((group, errors) -> all.add(JsonValue.object()
                .put("group", group)
                .put("n", (long) errors.size())
                .put("median_abs_percent", quantile(errors, 0.5, true))
                .put("p90_abs_percent", quantile(errors, 0.9, true))
                .put("median_percent", quantile(errors, 0.5, false))
                .build()));
        return JsonValue.object().put("kernels", JsonValue.of(all)).build();
    }

    @Override
    public String title() {
        return "Predictions of kernels";
    }
}
