package dev.stagesim.report;

import dev.stagesim.report.Layer.Bars;
import dev.stagesim.report.Layer.Line;
import dev.stagesim.report.Layer.Marks;
import dev.stagesim.report.Layer.Reference;
import dev.stagesim.report.Layer.Spans;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.report.Layer.Whiskers;

/** Draws charts as SVG of 460 by 330 units. Colours are CSS variables, so that the theme of the page applies. */
public final class SvgChart {
    private static final int WIDTH = 460;
    private static final int HEIGHT = 330;
    private static final int TOP = 54;
    private static final int RIGHT = 434;
    private static final int BOTTOM = 282;
    private static final int MIN_GAPPED_WIDTH = 2;
    private static final int LETTER_WIDTH = 7;
    private static final int VALUE_WIDTH = 50;
    private final Chart chart;
    private final Markup out = new Markup();
    private final Drawing draw = new Drawing(out);
    private final int left;
    private final int right;

    private SvgChart(Chart chart) {
        this.chart = chart;
        this.left = chart.rows().isEmpty()
                ? Math.max(58, 30 + LETTER_WIDTH * maxTickLength(chart))
                : Math.max(52, 14 + LETTER_WIDTH * maxRowNameLength(chart));
        boolean hasValueLabels =
                !chart.rows().isEmpty() && chart.layers().stream().anyMatch(Bars.class::isInstance);
        this.right = hasValueLabels ? RIGHT - VALUE_WIDTH : RIGHT;
    }

    /** Draws the chart for a page that contains {@code chart.css}. */
    static Markup inline(Chart chart) {
        return new SvgChart(chart).draw(false);
    }

    /** Draws the chart as a figure of a page. */
    static Markup figure(Chart chart) {
        return new Markup().open("figure").add(inline(chart)).close().line();
    }

    /** Draws the chart as a separate file. */
    public static String standalone(Chart chart) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + new SvgChart(chart).draw(true).build() + "\n";
    }

    /**
     * Returns the length in characters of the longest number at the vertical axis, which determines the position of the
     * axis label.
     */
    private static int maxTickLength(Chart chart) {
        return chart.y().ticks().stream()
                .mapToInt(tick -> tick.text().length())
                .max()
                .orElse(0);
    }

    /** Returns the length of the longest row name in characters. */
    private static int maxRowNameLength(Chart chart) {
        return chart.rows().values().stream().mapToInt(String::length).max().orElse(0);
    }

    private Markup draw(boolean alone) {
        String title = chart.name() + "-t";
        String description = chart.name() + "-d";
        String[] attributes = {
            "xmlns",
            "http://www.w3.org/2000/svg",
            "class",
            "chart",
            "viewBox",
            "0 0 " + WIDTH + " " + HEIGHT,
            "role",
            "img",
            "aria-labelledby",
            title + " " + description,
            "data-x",
            scale(chart.x(), left, right),
            "data-y",
            scale(chart.y(), BOTTOM, TOP)
        };
        out.open("svg", attributes);
        out.leaf("title", chart.title(), "id", title);
        out.leaf("desc", chart.description(), "id", description);
        if (alone) {
            out.leaf("style", Page.resource("chart.css"));
            out.shape("rect", "width", "100%", "height", "100%", "style", "fill:var(--chart-paper)");
        }
        if (chart.layers().stream().anyMatch(Bars.class::isInstance)) {
            hatch();
        }
        out.leaf("text", chart.title(), "class", "title", "x", "12", "y", "20").line();
        legend();
        axes();
        chart.layers().forEach(this::layer);
        return out.close();
    }

    /** Returns the axis parameters that a script needs to convert positions to values. */
    private static String scale(Axis axis, int from, int to) {
        return axis.low() + " " + axis.high() + (axis.log() ? " log " : " linear ") + from + " " + to + " "
                + axis.label();
    }

    private void hatch() {
        String[] attributes = {
            "id",
            chart.name() + "-hatch",
            "class",
            "s2",
            "width",
            "5",
            "height",
            "5",
            "patternUnits",
            "userSpaceOnUse",
            "patternTransform",
            "rotate(45)"
        };
        out.open("defs").open("pattern", attributes);
        out.shape("path", "class", "hatch", "d", "M0 0V5").close().close();
    }

    private void legend() {
        double at = 12;
        for (Chart.Entry entry : chart.legend()) {
            switch (entry.sample()) {
                case SPAN ->
                    draw.rect(
                            at, 30, 22, 10, "", "class", "span " + entry.style().css());
                case BAR -> bar(entry.style(), at, 30, 22, 10);
                case LINE -> {
                    draw.path(
                            "M" + Drawing.num(at) + " 35h22",
                            "",
                            "class",
                            "line " + entry.style().css());
                    mark(entry.style(), at + 11, 35, "");
                }
                case RANGE -> whisker(entry.style(), at, at + 22, 35);
                case MARK -> mark(entry.style(), at + 11, 35, "");
            }
            out.leaf(
                    "text",
                    entry.name(),
                    "class",
                    "key " + entry.style().css(),
                    "x",
                    Drawing.num(at + 28),
                    "y",
                    "39",
                    "text-anchor",
                    "start");
            at += 28 + 7 * entry.name().length() + 18;
        }
        out.line();
    }

    private void axes() {
        for (Ticks.Tick tick : chart.x().ticks()) {
            double at = x(tick.value());
            draw.line(at, TOP, at, BOTTOM, "", "class", "grid").text(at, BOTTOM + 16, "middle", tick.text());
        }
        if (chart.rows().isEmpty()) {
            for (Ticks.Tick tick : chart.y().ticks()) {
                double at = y(tick.value());
                draw.line(left, at, right, at, "", "class", "grid");
                label(tick.text(), at);
            }
            String place = "translate(14 " + (TOP + BOTTOM) / 2 + ") rotate(-90)";
            out.leaf("text", chart.y().label(), "transform", place, "text-anchor", "middle");
        } else {
            chart.rows().forEach((at, name) -> label(name, y(at)));
        }
        draw.path("M" + left + " " + TOP + "V" + BOTTOM + "H" + right, "", "class", "axis");
        draw.text((left + right) / 2.0, HEIGHT - 10, "middle", chart.x().label())
                .newLine();
    }

    private void label(String text, double at) {
        draw.text(left - 6, at + 4, "end", text);
    }

    private void layer(Layer layer) {
        String series =
                layer instanceof Reference ? "layer" : "layer " + layer.style().css();
        out.open("g", "class", series);
        if (layer instanceof Line line) {
            line(line);
        } else if (layer instanceof Marks marks) {
            for (int i = 0; i < marks.x().length; i++) {
                mark(
                        marks.style(),
                        x(marks.x()[i]),
                        y(marks.y()[i]),
                        marks.titles().get(i));
            }
        } else if (layer instanceof Reference r) {
            draw.line(x(r.fromX()), y(r.fromY()), x(r.toX()), y(r.toY()), "", "class", "ref");
        } else if (layer instanceof Bars bars) {
            bars(bars);
        } else if (layer instanceof Whiskers whiskers) {
            for (int i = 0; i < whiskers.y().length; i++) {
                whisker(whiskers.style(), x(whiskers.low()[i]), x(whiskers.high()[i]), y(whiskers.y()[i]));
            }
        } else if (layer instanceof Spans spans) {
            spans(spans);
        }
        out.close().line();
    }

    private void line(Line line) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < line.x().length; i++) {
            String x = Drawing.num(x(line.x()[i]));
            String y = Drawing.num(y(line.y()[i]));
            if (i == 0) {
                path.append('M').append(x).append(' ').append(y);
            } else if (line.stairs()) {
                path.append('H').append(x).append('V').append(y);
            } else {
                path.append('L').append(x).append(' ').append(y);
            }
        }
        draw.path(path.toString(), "", "class", "line drawn " + line.style().css());
    }

    private void bars(Bars bars) {
        double thick = Math.abs(y(0) - y(bars.height()));
        for (int i = 0; i < bars.x().length; i++) {
            double middle = y(bars.y()[i]);
            double end = x(bars.x()[i]);
            bar(bars.style(), left, middle - thick / 2, Math.max(0.5, end - left), thick);
            String text = bars.values().get(i);
            String textX = Drawing.num(5 + Math.max(end, x(reach(bars.y()[i]))));
            out.leaf("text", text, "class", "value", "x", textX, "y", Drawing.num(middle + 4));
        }
    }

    /** Returns the end of the longest whisker at a position; 0 if there is none. */
    private double reach(double place) {
        double end = 0;
        for (Layer layer : chart.layers()) {
            if (layer instanceof Whiskers whiskers) {
                for (int i = 0; i < whiskers.y().length; i++) {
                    end = whiskers.y()[i] == place ? Math.max(end, whiskers.high()[i]) : end;
                }
            }
        }
        return end;
    }

    private void whisker(Style style, double from, double to, double y) {
        String end = " " + Drawing.num(y - 4) + "v8";
        String path = "M" + Drawing.num(from) + end + "M" + Drawing.num(from) + " " + Drawing.num(y) + "H"
                + Drawing.num(to) + "M" + Drawing.num(to) + end;
        draw.path(path, "", "class", "whisker halo");
        draw.path(path, "", "class", "whisker " + style.css());
    }

    private void spans(Spans spans) {
        String css = "span " + spans.style().css();
        for (int i = 0; i < spans.from().length; i++) {
            double from = x(spans.from()[i]);
            double width = x(spans.to()[i]) - from;
            double top = y(spans.high()[i]);
            double wide = Math.max(0.3, width > MIN_GAPPED_WIDTH ? width - 0.5 : width);
            double high = Math.max(0.3, y(spans.low()[i]) - top);
            draw.rect(from, top, wide, high, spans.titles().get(i), "class", css);
        }
    }

    private void bar(Style style, double x, double y, double width, double height) {
        String css = "bar " + style.css();
        if (style == Style.FIRST) {
            draw.rect(x, y, width, height, "", "class", css);
        } else {
            draw.rect(x, y, width, height, "", "class", css, "style", "fill:url(#" + chart.name() + "-hatch)");
        }
    }

    private void mark(Style style, double x, double y, String title) {
        String css = "mark " + style.css();
        switch (style) {
            case FIRST -> draw.circle(x, y, 3.4, title, "class", css);
            case SECOND -> draw.rect(x - 3.2, y - 3.2, 6.4, 6.4, title, "class", css);
            case THIRD -> draw.path("M" + Drawing.num(x) + " " + Drawing.num(y - 4) + "l4 7h-8z", title, "class", css);
        }
    }

    private double x(double value) {
        return left + chart.x().at(value) * (right - left);
    }

    private double y(double value) {
        return BOTTOM - chart.y().at(value) * (BOTTOM - TOP);
    }
}
