package dev.stagesim.report;

import java.util.List;

/** One layer of the plot area, in data coordinates. */
public sealed interface Layer {
    /** The styles of series. Each has a distinct colour, line pattern, fill and mark. */
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

    /** Returns the style of the layer's series. */
    default Style style() {
        return Style.FIRST;
    }

    /** A line through points. With {@code stairs} the line is horizontal up to the next x and then jumps. */
    record Line(Style style, double[] x, double[] y, boolean stairs) implements Layer {}

    /** Marks with tooltips. */
    record Marks(Style style, double[] x, double[] y, List<String> titles) implements Layer {}

    /** A thin dotted reference line. */
    record Reference(double fromX, double fromY, double toX, double toY) implements Layer {}

    /** Horizontal bars from 0 to {@code x}, centred on {@code y}, {@code height} thick in y, with text at the end. */
    record Bars(Style style, double[] x, double[] y, double height, List<String> values) implements Layer {}

    /**
     * A range from {@code low} to {@code high} at each {@code y}. Texts of bars at the same position are drawn to the
     * right of the range.
     */
    record Whiskers(Style style, double[] low, double[] high, double[] y) implements Layer {}

    /** Rectangles between two corners, with tooltips, which may be empty. */
    record Spans(Style style, double[] from, double[] to, double[] low, double[] high, List<String> titles)
            implements Layer {}
}
