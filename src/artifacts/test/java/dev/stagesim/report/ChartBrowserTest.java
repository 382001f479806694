package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script of charts in a real browser if one is installed. */
@Tag("acceptance")
final class ChartBrowserTest {
    private static final String SCRIPT =
            """
            <script>
            window.addEventListener('load', function () {
              var results = [], svg = document.querySelector('svg.chart'), buttons = document.querySelectorAll('.keys button');
              function at(share) {
                var scale = svg.getAttribute('data-x').split(' ').map(Number), m = svg.getScreenCTM();
                var p = new DOMPoint(scale[3] + share * (scale[4] - scale[3]), 100).matrixTransform(m);
                svg.dispatchEvent(new PointerEvent('pointermove', { clientX: p.x, clientY: p.y }));
                results.push(document.querySelector('.keys span').textContent);
              }
              function shown() {
                return Array.from(svg.querySelectorAll('g.layer')).map(function (g) { return g.getAttribute('display') || 'inline'; }).join(' ');
              }
              results.push(Array.from(buttons).map(function (b) { return b.textContent; }).join(','));
              at(0.25); at(0.75); at(-0.05);
              buttons[1].click(); results.push(shown() + ' ' + buttons[1].getAttribute('aria-pressed')); at(0.75);
              buttons[1].click(); results.push(shown());
              var out = document.createElement('pre'); out.id = 'results'; out.textContent = results.join('\\n'); document.body.appendChild(out);
            });
            </script>
            """;

    @TempDir
    Path dir;

    /** Returns a page with values 1 to 100 and 51 to 150 on an axis from 0 to 200. */
    private static String page() {
        double[] first = IntStream.rangeClosed(1, 100).asDoubleStream().toArray();
        double[] second = IntStream.rangeClosed(51, 150).asDoubleStream().toArray();
        Charts.Subject subject = new Charts.Subject("ttft", "TTFT", "Two samples.", "TTFT (ms)", "real", "simulated");
        return new Report("Charts")
                .answer("Two samples differ.")
                .section("one", "One")
                .charts(Charts.cdf(subject, first, second))
                .html();
    }

    @Test
    void hidesSeriesAndShowsValues() throws Exception {
        assumeTrue(!ScriptedPage.browser().isEmpty(), "no Chromium");
        assertThat(ScriptedPage.reported(dir, page(), SCRIPT))
                .containsExactly(
                        "real,simulated",
                        "TTFT (ms) 3.76 · real 0.0298",
                        "TTFT (ms) 53.2 · real 0.53 · simulated 0.0298",
                        "",
                        "inline none false",
                        "TTFT (ms) 53.2 · real 0.53",
                        "inline inline");
    }
}
