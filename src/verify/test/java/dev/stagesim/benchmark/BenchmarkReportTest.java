package dev.stagesim.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.benchmark.BenchmarkTable.Growth;
import dev.stagesim.benchmark.BenchmarkTable.Row;
import dev.stagesim.benchmark.TimedCommand.Cost;
import dev.stagesim.io.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BenchmarkReportTest {
    private static final Row ROW = new Row("help", Optional.of(0.25), Optional.of(100.0), "--help");
    private static final Growth GROWTH = new Growth("serving", "requests", List.of(10L, 100L, 1000L), "", "x #");

    private static Cost cost(double cpu) {
        return new Cost(cpu, 2 * cpu, 50, "");
    }

    private static BenchmarkReport report(double cpu) {
        BenchmarkReport report = new BenchmarkReport("a machine");
        report.row(ROW, cost(9));
        report.row(ROW, cost(cpu));
        report.reference(ROW, cost(4));
        report.growth(GROWTH, List.of(cost(1), cost(1.5), cost(6)));
        return report;
    }

    @Test
    void comparesTheMinimumWithReferenceAndLastMeasurement() {
        String before = report(0.5).json();
        String page = report(0.4).markdown(Optional.of(Json.parse(before, "before")));
        assertThat(page).contains("| help | 0.40 | 0.80 | 50 | 0.25 (100) | 4.00 | 10.0 | 0.80 |");
        assertThat(page).contains("| serving | 10, 100, 1000 | 1.00, 1.50, 6.00 | 50, 50, 50 | 1.00 |");
        assertThat(report(0.4).markdown(Optional.empty())).contains("| 10.0 |  |");
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
            assertThat(growth.sizes()).hasSize(4).isSorted();
            assertThat(growth.sizes().get(3) / growth.sizes().get(0)).isGreaterThanOrEqualTo(500);
            assertThat(growth.command() + growth.preparation()).contains("#");
        });
        assertThat(BenchmarkTable.preparations(0.001).get(0).command()).contains("num_requests=10 ");
    }
}
