package dev.stagesim.stage.scalesim;

import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.LayerFigures;
import java.util.List;

/** A run as one HTML page: the answer, utilisation by layer, the roofline, and the figures. */
final class ScaleSimPage {
    private static final int ROW = 22;
    private static final int EDGE = 10;
    private static final int NAME = 190;
    private static final int CELL = 120;

    private final ArraySpec array;
    private final List<LayerRow> rows;
    private final ScaleSimSummary summary;

    ScaleSimPage(ArraySpec array, List<LayerRow> rows, ScaleSimSummary summary) {
        this.array = array;
        this.rows = rows;
        this.summary = summary;
    }

    String html() {
        Markup banner = new Markup().open("div", "class", "verdict");
        banner.leaf("p", summary.sentence(), "class", "word")
                .leaf("p", summary.second())
                .leaf("p", summary.differences().sentence())
                .close();
        Page page = new Page("Layers on a systolic array", banner);
        if (!rows.isEmpty()) {
            page.section("utilisation", "Utilisation by layer", heatMap());
            page.section("roofline", "Roofline", new LayerCharts(array, rows).both());
        }
        page.section("layers", "Layers", summary.table().html());
        page.section(
                "energy",
                "Energy",
                new Markup().add(summary.energyTable().html()).leaf("p", summary.energySource()));
        if (!summary.differences().isEmpty()) {
            page.section(
                    "differences",
                    "Differences from SCALE-Sim",
                    summary.differences().table().html());
        }
        return page.footer("Stagesim · scale_sim").html();
    }

    /** Layers down, utilisations across; the darker a cell, the more of the array is used. */
    private Markup heatMap() {
        int height = (rows.size() + 1) * ROW + 4;
        int width = NAME + 3 * CELL;
        Markup out = new Markup().open("div", "class", "scroll", "tabindex", "0");
        out.drawing(
                width,
                height,
                "Overall utilisation, mapping efficiency and compute utilisation of each layer in percent");
        String[] names = {"Overall %", "Mapping %", "Compute %"};
        for (int i = 0; i < names.length; i++) {
            label(out, NAME + i * CELL + 4, ROW - 6, names[i]);
        }
        for (int i = 0; i < rows.size(); i++) {
            heatRow(out, i, rows.get(i).figures());
        }
        return out.close().close();
    }

    private static void heatRow(Markup out, int i, LayerFigures figures) {
        label(out, EDGE, (i + 2) * ROW - 6, shortened(figures.layer().name()));
        double[] shares = {figures.overallUtilization(), figures.mappingEfficiency(), figures.computeUtilization()};
        for (int k = 0; k < shares.length; k++) {
            int x = NAME + k * CELL;
            double opacity = Math.max(0.04, Math.min(1, shares[k] / 100));
            out.shape(
                    "rect",
                    "x",
                    Integer.toString(x),
                    "y",
                    Integer.toString((i + 1) * ROW),
                    "width",
                    Integer.toString(CELL / 2),
                    "height",
                    Integer.toString(ROW - 2),
                    "fill",
                    "var(--s1)",
                    "fill-opacity",
                    Numbers.fixed(opacity, 3));
            label(out, x + CELL / 2 + 6, (i + 2) * ROW - 6, Numbers.fixed(shares[k], 1));
        }
    }

    private static void label(Markup out, int x, int y, String text) {
        out.leaf("text", text, "x", Integer.toString(x), "y", Integer.toString(y));
    }

    private static String shortened(String name) {
        return name.length() <= 24 ? name : name.substring(0, 23) + "…";
    }
}
