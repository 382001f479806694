package dev.stagesim.io.fabric;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.ShortestDouble;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of mean metrics that Atlas Fabric creates from a directory of run records. */
public final class AtlasReport {
    private static final MathContext NEARLY_EXACT = new MathContext(120);

    private AtlasReport() {}

    private record Key(String target, String workload, String track) {}

    private record Row(Key key, int runs, double tokensPerSecond, double perWatt, double usd) {}

    /**
     * Returns the report's text. As in Atlas Fabric, it is one line with the characters backslash and n instead of line
     * breaks.
     *
     * @param shown the directory as the caller named it; records with {@code last_run} in their path are ignored
     */
    public static String markdown(Path directory, String shown) throws IOException {
        return markdown(List.of(directory), shown);
    }

    /** Returns the report over several directories in their order. */
    public static String markdown(List<Path> directories, String shown) throws IOException {
        List<LocatedJson> records = new ArrayList<>();
        for (Path directory : directories) {
            for (Path file : files(directory)) {
                if (!(shown + "/" + name(file)).contains("last_run")) {
                    records.add(AtlasTool.read(file));
                }
            }
        }
        return text(rows(records), records.size());
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        return Directories.list(
                directory,
                file -> name(file).endsWith(".json")
                        && !name(file).startsWith(".")
                        && !name(file).equals("run_meta.json"));
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static List<Row> rows(List<LocatedJson> records) {
        Map<Key, List<LocatedJson>> groups = new LinkedHashMap<>();
        for (LocatedJson record : records) {
            Key key = new Key(
                    record.get("target").get("name").asString(),
                    record.get("workload").get("name").asString(),
                    record.get("track").asString());
            groups.computeIfAbsent(key, none -> new ArrayList<>()).add(record);
        }
        List<Row> rows = new ArrayList<>();
        groups.forEach((key, members) -> rows.add(row(key, members)));
        rows.sort(Comparator.comparing((Row row) -> row.key().workload())
                .thenComparing(row -> row.key().track())
                .thenComparingDouble(Row::usd));
        return rows;
    }

    private static Row row(Key key, List<LocatedJson> records) {
        double[] tokens = new double[records.size()];
        double[] perWatt = new double[records.size()];
        double[] usd = new double[records.size()];
        for (int i = 0; i < tokens.length; i++) {
            LocatedJson record = records.get(i);
            tokens[i] = record.get("record").get("tokens_per_sec").asDouble();
            perWatt[i] = tokens[i]
                    / Math.max(1.0, record.get("record").get("node_power_w").asDouble());
            JsonValue.Obj whole = record.object();
            usd[i] = whole.get("dollar_per_1k_tokens").flatMap(Plain::real).orElseGet(() -> recomputed(record));
        }
        return new Row(
                key,
                records.size(),
                AtlasTool.rounded(mean(tokens), 2),
                AtlasTool.rounded(mean(perWatt), 6),
                AtlasTool.rounded(mean(usd), 4));
    }

    private static double recomputed(LocatedJson record) {
        return AtlasTool.usdPerThousandTokens(
                record.get("target").object(), record.get("record").object());
    }

    /** Returns the mean of the exact values, rounded once. */
    private static double mean(double[] values) {
        BigDecimal sum = BigDecimal.ZERO;
        for (double value : values) {
            sum = sum.add(new BigDecimal(value));
        }
        return sum.divide(BigDecimal.valueOf(values.length), NEARLY_EXACT).doubleValue();
    }

    private static String text(List<Row> rows, int count) {
        List<String> lines = new ArrayList<>(List.of(
                "# Atlas Fabric Report",
                "",
                "Total runs: " + count,
                "",
                "| Target | Workload | Track | Runs | tokens/sec (mean) | Perf/W (mean) | $/1k tokens (mean) |",
                "|---|---|---|---:|---:|---:|---:|"));
        for (Row row : rows) {
            lines.add("| " + row.key().target() + " | " + row.key().workload() + " | "
                    + row.key().track() + " | "
                    + row.runs() + " | " + ShortestDouble.of(row.tokensPerSecond()) + " | "
                    + ShortestDouble.of(row.perWatt()) + " | " + ShortestDouble.of(row.usd()) + " |");
        }
        return String.join("\\n", lines) + "\\n";
    }
}
