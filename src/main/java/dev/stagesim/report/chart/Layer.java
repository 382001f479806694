package dev.stagesim.report.chart;

import java.util.List;

/** One thing drawn in the plot area, in data coordinates. */
public sealed interface Layer {
    /** Places a series takes: each has a colour, a line pattern, a fill and a mark of its own. */
    enum Style {
        /** Solid line, filled circle, solid bar. */
        FIRST("s1"),
        /** Dashed line, hollow square, hatched bar. */
        SECOND("s2"),
        /** Dotted line, hollow triangle. */
        THIRD("s3");

        private final String css;

        Style(String css) {
            this.css = css;
        }

        String css() {
            return css;
        }
    }

    /** The series that it belongs to. */
    default Style style() {
        return Style.FIRST;
    }

    /** A line through points; with {@code stairs} it runs flat to the next x and then jumps. */
    record Line(Style style, double[] x, double[] y, boolean stairs) implements Layer {}

    /** Marks, each with the text shown on hover. */
    record Marks(Style style, double[] x, double[] y, List<String> titles) implements Layer {}

    /** A thin dotted line from one point to another, for reference. */
    record Reference(double fromX, double fromY, double toX, double toY) implements Layer {}

    /** Horizontal bars from 0 to {@code x}, centred on {@code y}, {@code height} thick in y, with text at the end. */
    record Bars(Style style, double[] x, double[] y, double height, List<String> values) implements Layer {}

    /** A range with ends from {@code low} to {@code high} at each {@code y}; the texts of bars at the same place stand behind it. */
    record Whiskers(Style style, double[] low, double[] high, double[] y) implements Layer {}

    /** Rectangles from one corner to the other, each with the text shown on hover, which may be empty. */
    record Spans(Style style, double[] from, double[] to, double[] low, double[] high, List<String> titles)
            implements Layer {}
}
