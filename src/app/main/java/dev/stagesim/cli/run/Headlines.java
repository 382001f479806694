package dev.stagesim.cli.run;

import dev.stagesim.cli.console.AlignedTable;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;

/** Formats the headline metrics of a run as a small table. */
public final class Headlines {
    private static final double LONG_SPAN = 0x1p63;

    private Headlines() {}

    public static List<String> lines(SortedMap<String, Double> figures) {
        AlignedTable table = new AlignedTable();
        figures.forEach((name, value) -> table.row("  " + name, number(value)));
        return table.lines();
    }

    /**
     * Formats integers in full, and other numbers with at most five significant digits, without an exponent for
     * moderate sizes.
     */
    static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < LONG_SPAN) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        double size = Math.abs(value);
        if (size >= 1e7 || size < 1e-4) {
            return String.format(Locale.ROOT, "%.4g", value);
        }
        int decimals = size >= 10_000 ? 0 : size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
