package dev.stagesim.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An SVG drawing in user units: rectangles, lines, marks and labels in the colours of its page. */
public final class Drawing {
    private static final double MAX_EXACT = 1e9;
    private static final double ALMOST_HALF = 0.4999;

    private final Markup out;

    /** Draws into an open element. */
    Drawing(Markup out) {
        this.out = out;
    }

    /**
     * Starts a drawing with a fixed size and a scroll area.
     *
     * @param title description for screen readers
     */
    public Drawing(int width, int height, String title) {
        this(new Markup());
        String widthText = Integer.toString(width);
        String heightText = Integer.toString(height);
        String viewBox = "0 0 " + widthText + " " + heightText;
        out.open("div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Chart: " + title);
        out.open("svg", "class", "chart", "role", "img", "width", widthText, "height", heightText, "viewBox", viewBox)
                .leaf("title", title)
                .line();
    }

    /** Adds a rectangle with a tooltip, which may be empty. */
    public Drawing rect(double x, double y, double width, double height, String title, String... style) {
        shape("rect", style, title, "x", num(x), "y", num(y), "width", num(width), "height", num(height));
        return this;
    }

    /** Adds a rectangle with a colour of opacity {@code share}, from 0 to 1. */
    public Drawing tint(double x, double y, double width, double height, String title, String colour, double share) {
        return rect(x, y, width, height, title, "fill", colour, "fill-opacity", rounded(share, 3));
    }

    /** Adds a straight line with a tooltip, which may be empty. */
    public Drawing line(double x1, double y1, double x2, double y2, String title, String... style) {
        shape("line", style, title, "x1", num(x1), "y1", num(y1), "x2", num(x2), "y2", num(y2));
        return this;
    }

    public Drawing circle(double x, double y, double radius, String title, String... style) {
        shape("circle", style, title, "cx", num(x), "cy", num(y), "r", num(radius));
        return this;
    }

    Drawing path(String d, String title, String... style) {
        shape("path", style, title, "d", d);
        return this;
    }

    private void shape(String element, String[] style, String title, String... place) {
        List<String> attributes = new ArrayList<>(List.of(style));
        attributes.addAll(List.of(place));
        String[] all = attributes.toArray(String[]::new);
        if (title.isEmpty()) {
            out.shape(element, all);
        } else {
            out.open(element, all).leaf("title", title).close();
        }
    }

    /** Adds a label. {@code anchor} is {@code start}, {@code middle} or {@code end}. */
    public Drawing text(double x, double y, String anchor, String text) {
        out.leaf("text", text, "x", num(x), "y", num(y), "text-anchor", anchor);
        return this;
    }

    public Drawing newLine() {
        out.line();
        return this;
    }

    /** Returns the drawing and closes its element. */
    public Markup build() {
        return out.close().close();
    }

    /** Formats a number with at most one decimal: a tenth of a unit is less than a pixel. */
    public static String num(double value) {
        return rounded(value, 1);
    }

    /** Formats a number with at most {@code decimals} decimals. */
    static String rounded(double value, int decimals) {
        int unit = (int) Math.pow(10, decimals);
        double units = value * unit;
        long whole = Math.round(units);
        // Near a half, String.format decides, because it rounds the shortest decimal instead of the binary number.
        if (whole == 0 || Math.abs(units) >= MAX_EXACT || Math.abs(units - whole) >= ALMOST_HALF) {
            return withoutZeros(String.format(Locale.ROOT, "%." + decimals + "f", value));
        }
        String digits = Long.toString(Math.abs(whole) % unit + unit).substring(1);
        return withoutZeros((whole < 0 ? "-" : "") + Math.abs(whole) / unit + "." + digits);
    }

    /** Removes the trailing zeros of the decimals. */
    private static String withoutZeros(String text) {
        int end = text.length();
        while (text.charAt(end - 1) == '0') {
            end--;
        }
        return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
    }
}
