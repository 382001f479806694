package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the page's script in a real browser if one is installed. */
@Tag("acceptance")
final class ExplorerBrowserTest {
    /** Jobs 0 and 3 are on the Pareto front: the lowest latency, and the highest throughput. */
    private static Explorer jobs() {
        Explorer jobs = new Explorer(
                "job",
                List.of("scheduler", "arrival.qps"),
                List.of(),
                List.of("throughput_tokens_per_s", "ttft_p99_ms"));
        job(jobs, 0, "vllm", "2", figures(200, 60));
        job(jobs, 1, "vllm", "10", figures(900, 7000));
        job(jobs, 2, "orca", "2", figures(190, 80));
        job(jobs, 3, "orca", "10", figures(1000, 500));
        job(jobs, 4, "sarathi", "10", Map.of());
        return jobs;
    }

    private static void job(Explorer jobs, int num, String scheduler, String qps, Map<String, Double> figures) {
        jobs.row(num, Map.of("scheduler", scheduler, "arrival.qps", qps), List.of(), figures);
    }

    private static Map<String, Double> figures(double throughput, double ttft) {
        return Map.of("throughput_tokens_per_s", throughput, "ttft_p99_ms", ttft);
    }

    private static final String SCRIPT =
            """
            <script>
            window.addEventListener('load', function () {
              var results = [];
              function rows() {
                return Array.from(document.querySelectorAll('.explore-table tbody tr')).filter(function (tr) { return !tr.hidden; })
                  .map(function (tr) { return tr.cells[0].textContent; }).join(' ');
              }
              function front() {
                return Array.from(document.querySelectorAll('.explore-table tbody tr.front'))
                  .map(function (tr) { return tr.cells[0].textContent; }).sort().join(' ');
              }
              function count(selector) { return document.querySelectorAll(selector).length; }
              function heading(i) { document.querySelectorAll('.explore-table th button')[i].click(); results.push('sort ' + i + ': ' + rows()); }
              function filter(text) {
                var f = document.getElementById('explore-filter'); f.value = text; f.dispatchEvent(new Event('input'));
                results.push('filter ' + text + ': ' + rows() + ' | ' + document.getElementById('explore-count').textContent
                  + ' | circles ' + count('#explore-scatter circle')
                  + ' cells ' + count('#explore-heatmap rect') + ' | front ' + front());
              }
              function choose(id, text) {
                var s = document.getElementById(id);
                s.value = Array.from(s.options).find(function (o) { return o.textContent === text; }).value;
                s.dispatchEvent(new Event('change'));
              }
              filter('');
              heading(5); heading(5); heading(2); heading(1); heading(0);
              filter('ttft_p99_ms<=500');
              filter('ttft_p99_ms<=500 scheduler=vllm');
              filter('ORC');
              filter('qps!=2');
              filter('nothing like this');
              filter('');
              choose('explore-row', 'arrival.qps'); choose('explore-col', 'scheduler'); choose('explore-heat', 'throughput_tokens_per_s');
              results.push('heat ' + Array.from(document.querySelectorAll('#explore-heatmap text')).map(function (t) { return t.textContent; }).join(' '));
              choose('explore-x', 'ttft_p99_ms'); choose('explore-y', 'ttft_p99_ms');
              results.push('front ' + front());
              var out = document.createElement('pre'); out.id = 'results'; out.textContent = results.join('\\n'); document.body.appendChild(out);
            });
            </script>
            """;

    @TempDir
    Path dir;

    @Test
    void sortsAndFiltersTheTableAndCharts() throws Exception {
        assumeTrue(!ScriptedPage.browser().isEmpty(), "no Chromium");
        List<String> reported =
                ScriptedPage.reported(dir, new Report("Sweep").explorer(jobs()).html(), SCRIPT);
        assertThat(reported)
                .containsExactly(
                        "filter : 0 1 2 3 4 | 5 of 5 | circles 4 cells 4 | front 0 3",
                        "sort 5: 0 2 3 1 4",
                        "sort 5: 1 3 2 0 4",
                        "sort 2: 2 3 4 0 1",
                        "sort 1: 1 2 4 0 3",
                        "sort 0: 0 1 2 3 4",
                        "filter ttft_p99_ms<=500: 0 2 3 | 3 of 5 | circles 3 cells 3 | front 0 3",
                        "filter ttft_p99_ms<=500 scheduler=vllm: 0 | 1 of 5 | circles 1 cells 1 | front 0",
                        "filter ORC: 2 3 | 2 of 5 | circles 2 cells 2 | front 2 3",
                        "filter qps!=2: 1 3 4 | 3 of 5 | circles 2 cells 2 | front 3",
                        "filter nothing like this:  | 0 of 5 | circles 0 cells 0 | front ",
                        "filter : 0 1 2 3 4 | 5 of 5 | circles 4 cells 4 | front 0 3",
                        "heat orca sarathi vllm 2 190 200 10 1000 900",
                        "front 0");
    }

    /** Counts the marks of the charts, and the points of the line. */
    private static final String COUNTS =
            """
            <script>
            window.addEventListener('load', function () {
              var line = document.querySelector('#explore-line polyline');
              var out = document.createElement('pre'); out.id = 'results';
              out.textContent = ['line circle', 'parallel polyline', 'heatmap rect', 'scatter circle'].map(function (s) {
                return s + ' ' + document.querySelectorAll('#explore-' + s).length;
              }).join(' | ') + ' | points ' + (line ? line.getAttribute('points').split(' ').length : 0);
              document.body.appendChild(out);
            });
            </script>
            """;

    private String counts(List<String> keys, List<Map<String, String>> rows) throws Exception {
        Explorer jobs = new Explorer("job", keys, List.of(), List.of("throughput_tokens_per_s", "ttft_p99_ms"));
        for (int i = 0; i < rows.size(); i++) {
            jobs.row(i, rows.get(i), List.of(), figures(100 + i, 50 - i));
        }
        return ScriptedPage.reported(dir, new Report("Sweep").explorer(jobs).html(), COUNTS)
                .get(0);
    }

    @Test
    void drawsTheChartForTheNumberOfKeys() throws Exception {
        assumeTrue(!ScriptedPage.browser().isEmpty(), "no Chromium");
        Map<String, String> two = Map.of("qps", "2", "tp", "1", "seed", "1");
        Map<String, String> ten = Map.of("qps", "10", "tp", "2", "seed", "1");
        assertThat(counts(List.of("qps"), List.of(two, ten, ten)))
                .isEqualTo("line circle 3 | parallel polyline 0 | heatmap rect 0 | scatter circle 3 | points 2");
        assertThat(counts(List.of("qps"), List.of(Map.of("qps", "fast"), Map.of("qps", "slow"))))
                .isEqualTo("line circle 2 | parallel polyline 0 | heatmap rect 0 | scatter circle 2 | points 2");
        assertThat(counts(List.of("qps", "tp"), List.of(two, ten)))
                .isEqualTo("line circle 0 | parallel polyline 0 | heatmap rect 2 | scatter circle 2 | points 0");
        assertThat(counts(List.of("qps", "tp", "seed"), List.of(two, ten)))
                .isEqualTo("line circle 0 | parallel polyline 2 | heatmap rect 2 | scatter circle 2 | points 0");
    }
}
