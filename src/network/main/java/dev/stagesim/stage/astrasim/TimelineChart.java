package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Drawing;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import java.util.Arrays;

/** Timeline chart of the first NPUs, with lanes for computation, communication and the rest. */
final class TimelineChart {
    private static final int MAX_NPUS = 24;
    private static final int WIDTH = 1000;
    private static final int LEFT = 76;
    private static final int RIGHT = 24;
    private static final int TOP = 34;
    private static final int LANE = 10;
    private static final int GAP = 8;
    private static final int TICKS = 9;
    private static final String[] STYLES = {"s1", "s2", "s3"};
    private static final String[] NAMES = {"computation", "communication", "host and remote memory"};

    private final NodeLog log;
    private final long duration;
    private final int npus;
    private final boolean hasRest;
    private final int columns = WIDTH - LEFT - RIGHT;

    private TimelineChart(NodeLog log, long duration) {
        this.log = log;
        this.duration = Math.max(1, duration);
        this.npus = Math.min(MAX_NPUS, log.npus());
        boolean rest = false;
        for (int npu = 0; npu < log.npus(); npu++) {
            for (int i : log.ofNpu(npu)) {
                rest |= lane(log.kind(i)) == 2;
            }
        }
        this.hasRest = rest;
    }

    /** Number of NPUs drawn. */
    static int shown(NodeLog log) {
        return Math.min(MAX_NPUS, log.npus());
    }

    static Markup draw(NodeLog log, long duration) {
        return new TimelineChart(log, duration).draw();
    }

    private static int lane(NodeLog.Kind kind) {
        return switch (kind) {
            case COMPUTE -> 0;
            case COLLECTIVE, SEND, RECEIVE -> 1;
            case HOST, MEMORY, OTHER -> 2;
        };
    }

    private int lanes() {
        return hasRest ? 3 : 2;
    }

    private int rowHeight() {
        return lanes() * LANE + GAP;
    }

    private Markup draw() {
        int height = TOP + npus * rowHeight() + 46;
        Drawing out = new Drawing(WIDTH, height, "When each NPU computed and communicated");
        legend(out);
        axis(out, TOP + npus * rowHeight());
        boolean[][][] covered = covered();
        for (int npu = 0; npu < npus; npu++) {
            int y = TOP + npu * rowHeight();
            out.text(LEFT - 10, y + lanes() * LANE / 2.0 + 5, "end", "NPU " + npu);
            for (int lane = 0; lane < lanes(); lane++) {
                runs(out, covered[npu][lane], y + lane * LANE, STYLES[lane]);
            }
            out.newLine();
        }
        return out.build();
    }

    private void legend(Drawing out) {
        int x = LEFT;
        for (int lane = 0; lane < lanes(); lane++) {
            out.rect(x, 8, 14, LANE, "", "class", "span " + STYLES[lane]).text(x + 20, 17, "start", NAMES[lane]);
            x += 36 + 8 * NAMES[lane].length();
        }
        out.newLine();
    }

    private void axis(Drawing out, int y) {
        TimeScale scale = TimeScale.fit(duration);
        double step = step(duration / scale.nanos()) * scale.nanos();
        int decimals = Math.max(0, (int) Math.ceil(-Math.log10(step / scale.nanos()) - 1e-9));
        for (int tick = 0; tick * step <= duration; tick++) {
            double x = LEFT + tick * step / duration * columns;
            out.line(x, TOP - 6, x, y, "", "class", "grid");
            out.text(x, y + 18, "middle", Numbers.fixed(tick * step / scale.nanos(), decimals));
        }
        out.line(LEFT, y, WIDTH - RIGHT, y, "", "class", "axis");
        out.text(LEFT + columns / 2.0, y + 38, "middle", "time (" + scale.unit() + ")")
                .newLine();
    }

    /** The nearest 1, 2 or 5 times a power of ten that divides a length into about five steps. */
    private static double step(double length) {
        double power = Math.pow(10, Math.floor(Math.log10(length / TICKS)));
        double rest = length / TICKS / power;
        return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
    }

    /** For each NPU, lane and pixel column: whether a node ran. The shortest node takes one column. */
    private boolean[][][] covered() {
        boolean[][][] covered = new boolean[npus][lanes()][columns];
        for (int npu = 0; npu < npus; npu++) {
            for (int i : log.ofNpu(npu)) {
                if (log.end(i) > log.start(i)) {
                    int from = column(log.start(i));
                    int to = Math.max(from + 1, (int) Math.ceil((double) log.end(i) / duration * columns));
                    Arrays.fill(covered[npu][lane(log.kind(i))], from, Math.min(columns, to), true);
                }
            }
        }
        return covered;
    }

    private int column(long time) {
        return (int) Math.min(columns - 1, (double) time / duration * columns);
    }

    private void runs(Drawing out, boolean[] covered, int y, String style) {
        int from = 0;
        while (from < covered.length) {
            int to = from;
            while (to < covered.length && covered[to] == covered[from]) {
                to++;
            }
            if (covered[from]) {
                out.rect(LEFT + from, y, to - from, LANE - 1, "", "class", "span " + style);
            }
            from = to;
        }
    }
}
