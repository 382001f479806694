package dev.stagesim.io.drawing;

import dev.stagesim.sim.trace.inspect.GraphView;
import dev.stagesim.sim.trace.inspect.Layout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws a small graph as a PDF of one page; characters outside Latin-1 become question marks. */
public final class PdfGraph {
    private static final double FONT = 12;
    /** Mean width of Helvetica's characters in ems. */
    private static final double CHARACTER = 0.5;

    private PdfGraph() {}

    public static void write(GraphView graph, OutputStream out) throws IOException {
        Layout layout = Layout.of(graph);
        byte[] page = page(graph, layout).getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        List<Integer> offsets = new ArrayList<>();
        text(file, "%PDF-1.4\n");
        object(file, offsets, "<< /Type /Catalog /Pages 2 0 R >>");
        object(file, offsets, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        object(
                file,
                offsets,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 " + layout.totalWidth() + " " + layout.totalHeight()
                        + "] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>");
        object(file, offsets, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
        offsets.add(file.size());
        text(file, "5 0 obj\n<< /Length " + page.length + " >>\nstream\n");
        file.write(page);
        text(file, "\nendstream\nendobj\n");
        int table = file.size();
        text(file, "xref\n0 " + (offsets.size() + 1) + "\n0000000000 65535 f \n");
        for (int offset : offsets) {
            text(file, String.format(Locale.ROOT, "%010d 00000 n \n", offset));
        }
        text(file, "trailer\n<< /Size " + (offsets.size() + 1) + " /Root 1 0 R >>\nstartxref\n" + table + "\n%%EOF\n");
        file.writeTo(out);
    }

    private static void object(ByteArrayOutputStream file, List<Integer> offsets, String content) throws IOException {
        offsets.add(file.size());
        text(file, offsets.size() + " 0 obj\n" + content + "\nendobj\n");
    }

    private static void text(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String page(GraphView graph, Layout layout) {
        int height = layout.totalHeight();
        StringBuilder out = new StringBuilder("0.5 w 0.45 G\n");
        for (int edge = 0; edge < graph.edgeCount(); edge++) {
            int from = graph.from(edge);
            int to = graph.to(edge);
            int x1 = layout.left(from) + layout.width(from) / 2;
            int y1 = height - layout.top(from) - Layout.HEIGHT;
            int x2 = layout.left(to) + layout.width(to) / 2;
            int y2 = height - layout.top(to);
            int bend = Math.max(12, (y1 - y2) / 2);
            out.append(graph.isData(edge) ? "[] 0 d " : "[4 3] 0 d ")
                    .append(x1 + " " + y1 + " m " + x1 + " " + (y1 - bend) + " " + x2 + " " + (y2 + bend) + " " + x2
                            + " " + y2 + " c S\n")
                    .append("[] 0 d " + (x2 - 3) + " " + (y2 + 6) + " m " + x2 + " " + y2 + " l " + (x2 + 3) + " "
                            + (y2 + 6) + " l S\n");
        }
        for (int node = 0; node < graph.size(); node++) {
            String text = Layout.text(graph, node);
            int bottom = height - layout.top(node) - Layout.HEIGHT;
            out.append("0.96 g " + layout.left(node) + " " + bottom + " " + layout.width(node) + " " + Layout.HEIGHT
                    + " re B 0 g\n");
            double x = layout.left(node) + (layout.width(node) - text.length() * FONT * CHARACTER) / 2;
            out.append(String.format(Locale.ROOT, "BT /F1 12 Tf %.1f %d Td (", x, bottom + 10));
            escape(text, out);
            out.append(") Tj ET\n");
        }
        return out.toString();
    }

    private static void escape(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '(' || c == ')' || c == '\\') {
                out.append('\\');
            }
            out.append(c < ' ' || c > 0xff ? '?' : c);
        }
    }
}
