package dev.stagesim.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.benchmark.BenchmarkReport.Reference;
import dev.stagesim.benchmark.BenchmarkTable.Growth;
import dev.stagesim.benchmark.BenchmarkTable.Row;
import dev.stagesim.benchmark.TimedCommand.Cost;
import dev.stagesim.io.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BenchmarkReportTest {
    private static final Row ROW = new Row("help", "help text", "--help");
    private static final Growth GROWTH = new Growth("serving", "requests", List.of(10L, 100L, 1000L), "", "x #");

    private static Cost cost(double cpu) {
        return new Cost(cpu, 2 * cpu, 50, "");
    }

    @Test
    void reportsMediansRangesAndTheRatioToTheReference() {
        BenchmarkReport report = new BenchmarkReport("A machine.");
        report.row(new Row("runs", "list of runs", "runs"), cost(0.25));
        List.of(0.9, 0.4, 0.5).forEach(cpu -> report.row(ROW, cost(cpu)));
        List.of(3.0, 5.0).forEach(cpu -> report.reference(ROW, new Reference("peer 1.0", "-O3", "peer"), cost(cpu)));
        report.growth(GROWTH, List.of(cost(1), cost(1.5), cost(6)));
        String page = report.markdown();
        assertThat(page)
                .startsWith("A machine. Median")
                .contains(
                        "| `help` | help text | 0.50 (0.40 to 0.90) | 1.00 (0.80 to 1.80) | 50 | peer 1.0 | -O3 |"
                                + " 4.00 (3.00 to 5.00) | 8.00 (6.00 to 10.0) | 50 | 8.00 |",
                        "| `runs` | list of runs | 0.25 | 0.50 | 50 |  |",
                        "| serving | 10, 100, 1000 requests; exponent 1.00 | 1.00, 1.50, 6.00 |");
        assertThat(Json.parse(report.json(), "report").get("rows").items()).hasSize(2);
    }

    @Test
    void replacesTheReportInThePage() throws IOException {
        Path home = Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
        String page = Files.readString(home.resolve("specs/performance.md"));
        String changed = BenchmarkReport.replaced(page, "a report");
        assertThat(changed).contains("\n\na report\n<!--");
        assertThat(BenchmarkReport.replaced(changed, "another"))
                .contains("\n\nanother\n<!--")
                .doesNotContain("a report");
    }

    @Test
    void excludesStartUpFromExponents() {
        List<Long> sizes = List.of(10L, 100L, 1000L, 10_000L);
        assertThat(BenchmarkReport.exponent(sizes, List.of(2.0, 3.0, 12.0, 1002.0)))
                .isCloseTo(2, within(1e-9));
        assertThat(BenchmarkReport.exponent(sizes, List.of(2.0, 2.0, 2.0, 2.1))).isNaN();
        assertThat(BenchmarkReport.exponent(List.of(1L), List.of(2.0))).isNaN();
    }

    @Test
    void namesPreparationsOfRows() {
        Set<String> made = new HashSet<>();
        BenchmarkTable.preparations(1).forEach(first -> made.add(first.name()));
        Pattern named = Pattern.compile("\\$(\\w+)");
        for (Row row : BenchmarkTable.rows(1)) {
            named.matcher(row.command()).results().forEach(name -> assertThat(made)
                    .contains(name.group(1)));
            assertThat(row.command()).doesNotContainPattern("\\{\\d");
        }
        assertThat(BenchmarkTable.growths(1)).allSatisfy(growth -> {
            assertThat(growth.sizes()).hasSizeGreaterThanOrEqualTo(4).isSorted();
            assertThat(growth.sizes().get(growth.sizes().size() - 1)
                            / growth.sizes().get(0))
                    .isGreaterThanOrEqualTo(500);
            assertThat(growth.command() + growth.preparation()).contains("#");
        });
        assertThat(BenchmarkTable.preparations(0.001).get(0).command()).contains("num_requests=10 ");
    }
}
