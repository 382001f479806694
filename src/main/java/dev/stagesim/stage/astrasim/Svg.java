package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Markup;
import java.util.Locale;

/** A drawing of a page: rectangles, lines and labels in user units. */
final class Svg {
    private final Markup out = new Markup();

    /** Starts a drawing, which keeps its size and scrolls; the title is for those who cannot see it. */
    Svg(int width, int height, String title) {
        out.open("div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", title);
        out.drawing(width, height, title).line();
    }

    /** A filled rectangle of a series' colour. */
    Svg span(String style, double x, double y, double width, double height) {
        out.shape(
                "rect", "class", "span " + style, "x", num(x), "y", num(y), "width", num(width), "height", num(height));
        return this;
    }

    /** A rectangle whose strength says how much, from 0 to 1, with a text on hover, which may be empty. */
    Svg cell(double x, double y, double side, double share, String title) {
        String[] attributes = {
            "x",
            num(x),
            "y",
            num(y),
            "width",
            num(side),
            "height",
            num(side),
            "fill",
            "var(--s1)",
            "fill-opacity",
            num(share)
        };
        if (title.isEmpty()) {
            out.shape("rect", attributes);
        } else {
            out.open("rect", attributes).leaf("title", title).close();
        }
        return this;
    }

    Svg line(String style, double x1, double y1, double x2, double y2) {
        out.shape("line", "class", style, "x1", num(x1), "y1", num(y1), "x2", num(x2), "y2", num(y2));
        return this;
    }

    /** A line of a series' colour and a width, with a text on hover. */
    Svg link(double x1, double y1, double x2, double y2, double width, String style, String title) {
        out.open(
                        "line",
                        "x1",
                        num(x1),
                        "y1",
                        num(y1),
                        "x2",
                        num(x2),
                        "y2",
                        num(y2),
                        "stroke",
                        "var(--" + style + ")",
                        "stroke-opacity",
                        "0.6",
                        "stroke-width",
                        num(width))
                .leaf("title", title)
                .close();
        return this;
    }

    /** A disc of a series' colour with a text on hover. */
    Svg node(double x, double y, double radius, String style, String title) {
        out.open("circle", "cx", num(x), "cy", num(y), "r", num(radius), "fill", "var(--" + style + ")")
                .leaf("title", title)
                .close();
        return this;
    }

    /** A label; {@code anchor} is {@code start}, {@code middle} or {@code end}. */
    Svg text(double x, double y, String anchor, String text) {
        out.leaf("text", text, "x", num(x), "y", num(y), "text-anchor", anchor);
        return this;
    }

    Svg newLine() {
        out.line();
        return this;
    }

    Markup build() {
        return out.close().close();
    }

    private static String num(double value) {
        if (value == Math.rint(value)) {
            return Long.toString((long) value);
        }
        return String.format(Locale.ROOT, "%.3f", value).replaceAll("\\.?0+$", "");
    }
}
