package dev.stagesim.benchmark;

import dev.stagesim.benchmark.BenchmarkReport.Reference;
import dev.stagesim.benchmark.BenchmarkTable.Growth;
import dev.stagesim.benchmark.BenchmarkTable.Preparation;
import dev.stagesim.benchmark.BenchmarkTable.Row;
import dev.stagesim.benchmark.TimedCommand.Cost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures {@link BenchmarkTable}: runs each command and its reference once, in turn, and repeats rounds until {@code
 * bench.minutes} have passed. Fails only if a command of the product fails.
 */
@Tag("bench")
@EnabledIfSystemProperty(named = "bench.scale", matches = ".+")
class BenchmarkIT {
    private static final int MAX_ROUNDS = 5;
    /** Processor time in seconds from which a reference runs only in the first round. */
    private static final double SLOW_SECONDS = 60;

    @TempDir
    Path scratch;

    private final Path home = Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private final double scale = Double.parseDouble(System.getProperty("bench.scale", "1"));
    private final Pattern only = Pattern.compile(System.getProperty("bench.only", ""));
    private final Map<String, String> made = new HashMap<>();
    private final Set<String> slow = new HashSet<>();
    private final Map<String, Reference> references = new LinkedHashMap<>();
    private final BenchmarkReport report = new BenchmarkReport(machine());

    private static Map<String, Reference> references(String file) throws IOException {
        Map<String, Reference> all = new LinkedHashMap<>();
        for (String line : file.isEmpty() ? List.<String>of() : Files.readAllLines(Path.of(file))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] cells = line.split("\\|", 4);
                all.put(cells[0].strip(), new Reference(cells[1].strip(), cells[2].strip(), cells[3].strip()));
            }
        }
        return all;
    }

    @Test
    void measuresAllCommands() throws Exception {
        long end = System.nanoTime() + Math.round(Double.parseDouble(System.getProperty("bench.minutes", "18")) * 60e9);
        List<Row> rows = BenchmarkTable.rows(scale).stream()
                .filter(row -> only.matcher(row.id()).find())
                .toList();
        references.putAll(references(System.getProperty("bench.peers", "")));
        // Creates the class archives if they are missing.
        run("--help");
        run("astra_sim workload=chakra_all_reduce workload.num_npus=8 workload.comm_size=1024 network=ring_8");
        for (Preparation first : BenchmarkTable.preparations(scale)) {
            if (rows.stream().anyMatch(row -> row.command().contains("$" + first.name() + " "))) {
                made.put(first.name(), run(first.command()).printed());
            }
        }
        round(rows);
        for (Growth growth : BenchmarkTable.growths(scale)) {
            if (only.matcher(growth.id()).find()) {
                grow(growth);
            }
        }
        for (int round = 1; round < MAX_ROUNDS && System.nanoTime() < end; round++) {
            round(rows);
        }
        write();
    }

    private void round(List<Row> rows) throws Exception {
        for (Row row : rows) {
            report.row(row, run(row.command()));
            Reference reference = references.get(row.id());
            if (reference != null && !slow.contains(row.id())) {
                measure(row, reference);
            }
        }
    }

    /** Runs a reference. Its shell command can use the preparations as variables, such as {@code $W10K}. */
    private void measure(Row row, Reference reference) throws Exception {
        StringBuilder script = new StringBuilder();
        made.forEach((name, dir) ->
                script.append(name).append("='").append(scratch.resolve(dir)).append("'\n"));
        Cost cost;
        try {
            cost = new TimedCommand(scratch).run(List.of("sh", "-ec", script + reference.command()));
        } catch (AssertionError e) {
            System.err.println("The reference of " + row.id() + " is left out, because it fails: " + e.getMessage());
            references.remove(row.id());
            return;
        }
        report.reference(row, reference, cost);
        if (cost.cpu() > SLOW_SECONDS) {
            slow.add(row.id());
        }
    }

    private void grow(Growth growth) throws Exception {
        List<Cost> costs = new ArrayList<>();
        for (long size : growth.sizes()) {
            String number = Long.toString(size);
            // Each size has a separate set of runs, because the time of some commands grows with their number.
            Path own = Files.createDirectories(scratch.resolve(growth.id().replace(' ', '_') + "_" + number));
            if (!growth.preparation().isEmpty()) {
                made.put(
                        "W", run(growth.preparation().replace("#", number), own).printed());
            }
            costs.add(run(growth.command().replace("#", number), own));
        }
        report.growth(growth, costs);
    }

    private Cost run(String command) throws Exception {
        return run(command, scratch);
    }

    private Cost run(String command, Path dir) throws Exception {
        List<String> words = new ArrayList<>(List.of(home.resolve("stage").toString()));
        for (String word : command.split(" +", -1)) {
            int name = word.indexOf('$');
            words.add(name < 0 ? word : word.substring(0, name) + made.get(word.substring(name + 1)));
        }
        return new TimedCommand(dir).run(words);
    }

    /** Writes to {@code target/}, and with {@code bench.keep} also to the page and the committed measurement. */
    private void write() throws IOException {
        Path target = Files.createDirectories(home.resolve("target/bench"));
        Files.writeString(target.resolve("benchmark.json"), report.json());
        Files.writeString(target.resolve("benchmark.md"), report.markdown());
        if (Boolean.getBoolean("bench.keep")) {
            Files.writeString(home.resolve("specs/data/benchmark.json"), report.json());
            Path page = home.resolve("specs/performance.md");
            Files.writeString(page, BenchmarkReport.replaced(Files.readString(page), report.markdown()));
        }
    }

    private static String machine() {
        String cpu = "an unknown processor";
        Path info = Path.of("/proc/cpuinfo");
        if (Files.exists(info)) {
            try (Stream<String> lines = Files.lines(info)) {
                cpu = lines.filter(line -> line.startsWith("model name"))
                        .findFirst()
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .orElse(cpu);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
        double load = java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                .getSystemLoadAverage();
        return Runtime.getRuntime().availableProcessors() + " cores of " + cpu + ", Java "
                + System.getProperty("java.version") + ", load average "
                + String.format(java.util.Locale.ROOT, "%.1f", load) + " at the start.";
    }
}
