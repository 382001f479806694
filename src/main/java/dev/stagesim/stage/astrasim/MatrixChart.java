package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Drawing;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;

/** Bytes from NPU to NPU as a map; on large machines a cell stands for several NPUs. */
final class MatrixChart {
    private static final int MOST_CELLS = 64;
    private static final int MOST_TITLED = 2500;
    private static final int SIDE = 512;
    private static final int MOST_SIDE = 34;
    private static final int LEFT = 76;
    private static final int TOP = 52;
    private static final int LABELS = 8;

    private final int npus;
    private final int perCell;
    private final int cells;
    private final double side;
    private final long[][] bytes;
    private long most;

    private MatrixChart(Matrix matrix, int npus) {
        this.npus = npus;
        this.perCell = (npus + MOST_CELLS - 1) / MOST_CELLS;
        this.cells = (npus + perCell - 1) / perCell;
        this.side = Math.min(MOST_SIDE, Math.floor((double) SIDE / cells));
        this.bytes = new long[cells][cells];
        matrix.forEach((source, destination, messages, size) -> {
            long[] row = bytes[source / perCell];
            row[destination / perCell] += size;
            most = Math.max(most, row[destination / perCell]);
        });
    }

    static Markup draw(Matrix matrix, int npus) {
        return new MatrixChart(matrix, npus).draw();
    }

    private Markup draw() {
        int extent = (int) (cells * side);
        Drawing out = new Drawing(
                Math.max(460, LEFT + extent + 30), TOP + extent + 50, "Bytes sent from each NPU to each other");
        out.text(LEFT + extent / 2.0, 16, "middle", "to NPU");
        out.text(LEFT - 8, TOP - 26, "end", "from NPU");
        out.newLine();
        labels(out);
        int titled = 0;
        for (int from = 0; from < cells; from++) {
            for (int to = 0; to < cells; to++) {
                if (bytes[from][to] > 0) {
                    String title = titled++ < MOST_TITLED ? title(from, to) : "";
                    cell(out, LEFT + to * side, TOP + from * side, side - (side > 4 ? 1 : 0), share(from, to), title);
                }
            }
            out.newLine();
        }
        out.line(LEFT, TOP, LEFT + extent, TOP, "", "class", "axis")
                .line(LEFT, TOP, LEFT, TOP + extent, "", "class", "axis");
        scale(out, TOP + extent + 18);
        return out.build();
    }

    private static Drawing cell(Drawing out, double x, double y, double side, double share, String title) {
        return out.tint(x, y, side, side, title, "var(--s1)", share);
    }

    /** Nothing is so little that it cannot be seen. */
    private double share(int from, int to) {
        return 0.12 + 0.88 * bytes[from][to] / most;
    }

    private void labels(Drawing out) {
        int step = Math.max(1, (cells + LABELS - 1) / LABELS);
        for (int cell = 0; cell < cells; cell += step) {
            double middle = cell * side + side / 2;
            out.text(LEFT + middle, TOP - 8, "middle", Integer.toString(cell * perCell));
            out.text(LEFT - 8, TOP + middle + 4, "end", Integer.toString(cell * perCell));
        }
        out.newLine();
    }

    private void scale(Drawing out, int y) {
        cell(out, LEFT, y, 14, 0.12, "").text(LEFT + 20, y + 12, "start", "a little");
        cell(out, LEFT + 100, y, 14, 1, "")
                .text(LEFT + 120, y + 12, "start", Numbers.count(most) + " bytes")
                .newLine();
    }

    private String title(int from, int to) {
        return range(from) + " → " + range(to) + ": " + Numbers.count(bytes[from][to]) + " bytes";
    }

    private String range(int cell) {
        int first = cell * perCell;
        int last = Math.min(npus, first + perCell) - 1;
        return first == last ? "NPU " + first : "NPUs " + first + "–" + last;
    }

    /** NPUs that a cell stands for. */
    static int perCell(int npus) {
        return (npus + MOST_CELLS - 1) / MOST_CELLS;
    }
}
