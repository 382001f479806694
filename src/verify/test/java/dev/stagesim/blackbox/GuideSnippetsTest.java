package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.PythonEnvironment;
import dev.stagesim.api.Run;
import dev.stagesim.api.Stagesim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the examples of the guide for pandas, Polars, DuckDB and Spark. Tests are skipped if the libraries cannot be installed,
 * or if {@code SPARK_HOME} has no {@code jars}.
 */
final class GuideSnippetsTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    /** The environment of all tests of this class. */
    @TempDir
    static Path ENVIRONMENT;

    @TempDir
    Path work;

    private record Ended(int exit, String output) {}

    private Ended run(List<String> words) throws IOException, InterruptedException {
        Path out = work.resolve("output.txt");
        try {
            Process process = new ProcessBuilder(words)
                    .directory(work.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
            return new Ended(process.exitValue(), Files.readString(out));
        } catch (IOException notThere) {
            return new Ended(127, String.valueOf(notThere.getMessage()));
        }
    }

    private static String snippet(String language, String part) throws IOException {
        Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(HOME.resolve("specs/guide/runs.md")));
        List<String> snippets = block.results()
                .map(found -> found.group(1))
                .filter(text -> text.contains(part))
                .toList();
        assertThat(snippets).hasSize(1);
        return snippets.get(0);
    }

    @Tag("acceptance")
    @ParameterizedTest
    @ValueSource(strings = {"pandas", "polars", "duckdb"})
    void runsThePythonExamples(String library) throws Exception {
        String snippet = snippet("python", "import " + library);
        PythonEnvironment python =
                PythonEnvironment.open(ENVIRONMENT, "tables", "pandas", "polars", "duckdb", "pyarrow", "numpy", "pytz");
        double[] ttft = ttft();
        Path script = Files.writeString(work.resolve("snippet.py"), snippet);
        PythonEnvironment.Ended ended =
                python.in(work).run(Duration.ofMinutes(5), Map.of(), "python", script.toString());
        assertPrints(new Ended(ended.exit(), ended.output()), quantile(ttft, library.equals("duckdb") ? 0.99 : 0.5));
    }

    @Test
    void runsTheSparkExamples() throws Exception {
        String snippet = snippet("sql", "parquet.`");
        String home = System.getenv("SPARK_HOME");
        assumeTrue(home != null && Files.isDirectory(Path.of(home, "jars")), "no SPARK_HOME");
        double expected = quantile(ttft(), 0.99);
        Path program = Files.writeString(
                work.resolve("Snippet.java"),
                """
                public class Snippet {
                    public static void main(String[] sql) {
                        var spark = org.apache.spark.sql.SparkSession.builder().master("local[1]").getOrCreate();
                        spark.sql(sql[0]).show();
                        spark.stop();
                    }
                }
                """);
        List<String> words = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        for (String open : List.of("lang", "lang.invoke", "nio", "util", "util.concurrent")) {
            words.add("--add-opens=java.base/java." + open + "=ALL-UNNAMED");
        }
        words.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
        words.addAll(List.of("-cp", home + "/jars/*", program.toString(), snippet.strip()));
        assertPrints(run(words), expected);
    }

    private double[] ttft() throws IOException {
        Run run = Stagesim.open(HOME, work).run("vidur_sim", "workload.num_requests=20", "output.format=parquet");
        Files.copy(run.dir().resolve("request_metrics.parquet"), work.resolve("long.parquet"));
        double[] ttft = run.table("request_metrics.parquet").numbers("ttft_ns");
        Arrays.sort(ttft);
        return ttft;
    }

    private static double quantile(double[] sorted, double quantile) {
        double at = quantile * (sorted.length - 1);
        int below = (int) at;
        return sorted[below] + (at - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
    }

    private static void assertPrints(Ended ended, double expected) {
        assertThat(ended.exit()).as(ended.output()).isZero();
        assertThat(Pattern.compile("\\d+\\.\\d+(?:[eE][+]?\\d+)?")
                        .matcher(ended.output())
                        .results()
                        .map(found -> Double.parseDouble(found.group())))
                .as(ended.output())
                .anyMatch(value -> Math.abs(value / expected - 1) < 1e-6);
    }
}
