package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.report.Charts.Subject;
import dev.stagesim.report.Layer.Marks;
import dev.stagesim.report.Layer.Style;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class ChartsTest {
    private static final Subject SUBJECT =
            new Subject("ttft-cdf", "TTFT: <distribution>", "What it shows & says.", "TTFT (ms)", "real", "simulated");

    @Test
    void describesTheChart() throws Exception {
        Chart chart = Charts.cdf(SUBJECT, new double[] {1, 2, 3}, new double[] {2, 3, 4});
        Element svg = parse(SvgChart.standalone(chart)).getDocumentElement();
        assertThat(svg.getAttribute("role")).isEqualTo("img");
        assertThat(svg.getAttribute("aria-labelledby")).isEqualTo("ttft-cdf-t ttft-cdf-d");
        assertThat(svg.getElementsByTagName("desc").item(0).getTextContent()).isEqualTo("What it shows & says.");
        assertThat(text(svg)).contains("TTFT: <distribution>", "TTFT (ms)", "real", "simulated");
    }

    @Test
    void distinguishesSeriesByShapeAndPattern() throws Exception {
        String svg = SvgChart.standalone(Charts.cdf(SUBJECT, new double[] {1, 2}, new double[] {2, 3}));
        assertThat(parse(svg).getElementsByTagName("circle").getLength()).isEqualTo(3);
        assertThat(svg).contains("class=\"line s1\"", "class=\"line s2\"", "rect class=\"mark s2\"");
        String bars = SvgChart.standalone(Charts.bars(SUBJECT, List.of("mean"), new double[] {3}, new double[] {5}, 1));
        assertThat(bars).contains("url(#ttft-cdf-hatch)", ">3.0<", ">5.0<", ">mean<");
    }

    @Test
    void drawsAWhiskerFollowedByTheValue() throws Exception {
        double[] at = {0.5};
        Axis x = Axis.fromZero("USD", 10);
        Chart chart = new Chart("cost", "Cost", "What it costs.", x, new Axis("", 0, 1, false))
                .withRows(Map.of(0.5, "h100"))
                .with("best", new Layer.Bars(Style.FIRST, new double[] {4}, at, 0.6, List.of("four")))
                .with("range", new Layer.Whiskers(Style.SECOND, new double[] {2}, new double[] {8}, at));
        String svg = SvgChart.standalone(chart);
        // The plot extends from 52 to 384, and its axis ends at 10: 2, 8 and the text's gap of 5.
        assertThat(svg).contains("M118.4 164v8M118.4 168H317.6M317.6 164v8", "x=\"322.6\"");
        assertThat(svg.split("class=\"whisker s2\"", -1))
                .as("one in the legend, one drawn")
                .hasSize(3);
    }

    @Test
    void drawsAStepAtEveryValue() {
        Chart chart = Charts.cdf(SUBJECT, new double[] {1, 2, 4}, new double[] {3});
        Layer.Line line = (Layer.Line) chart.layers().get(0);
        assertThat(line.x()).containsExactly(1, 1, 2, 4);
        assertThat(line.y()).containsExactly(0, 1 / 3.0, 2 / 3.0, 1);
    }

    @Test
    void thinsLargeSamplesButKeepsTheirEnds() {
        double[] many = IntStream.range(0, 100_000).mapToDouble(i -> i).toArray();
        Layer.Line line = (Layer.Line) Charts.cdf(SUBJECT, many, many).layers().get(0);
        assertThat(line.x()).hasSize(241).startsWith(0.0, 0.0).endsWith(99_999.0);
        assertThat(SvgChart.standalone(Charts.cdf(SUBJECT, many, many)).length())
                .isLessThan(30_000);
        Marks marks = new Marks(
                Style.FIRST,
                many,
                many,
                IntStream.range(0, 100_000).mapToObj(i -> "").toList());
        Marks drawn =
                (Marks) Charts.scatter(SUBJECT, "x", marks, marks).layers().get(1);
        assertThat(drawn.x()).hasSize(2000).endsWith(99_999.0);
    }

    @Test
    void drawsEqualSamplesOnTheDiagonal() {
        double[] same = {1, 2, 5, 9};
        Marks marks = (Marks) Charts.quantiles(SUBJECT, same, same).layers().get(1);
        assertThat(marks.y()).isEqualTo(marks.x());
        assertThat(marks.x()).hasSize(4);
    }

    @Test
    void escapesHostileNames() throws Exception {
        Subject bad = new Subject("a", "</svg><script>", "]]>", "<x>", "\"&", "'");
        Document svg = parse(SvgChart.standalone(Charts.steps(
                bad, "<t>", new double[] {0, 1}, new double[] {0, 1}, new double[] {0}, new double[] {0})));
        assertThat(svg.getElementsByTagName("script").getLength()).isZero();
        assertThat(text(svg.getDocumentElement())).contains("</svg><script>");
    }

    @Test
    void writesTheSameBytesTwice() {
        String drawn = SvgChart.standalone(cdf(4));
        assertThat(SvgChart.standalone(cdf(4))).isEqualTo(drawn);
        assertThat(SvgChart.standalone(cdf(5))).isNotEqualTo(drawn);
        assertThat(SvgChart.inline(cdf(4)).build()).doesNotContain("<style");
    }

    private static Chart cdf(double last) {
        return Charts.cdf(SUBJECT, new double[] {1, 2, 3}, new double[] {2, 3, last});
    }

    private static String text(Element element) {
        return element.getTextContent();
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }
}
