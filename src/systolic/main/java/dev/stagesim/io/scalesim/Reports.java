package dev.stagesim.io.scalesim;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.OperandTraffic;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.io.IOException;
import java.util.List;

/** Reports of a run with the columns and number formats of SCALE-Sim. */
public final class Reports {
    /** Layers with equal metrics. */
    public record Row(LayerMetrics metrics, int times) {}

    /** A report that is written row by row. */
    public static final class Report {
        private final String header;
        private final List<Row> rows;
        private final Line line;

        private Report(String header, List<Row> rows, Line line) {
            this.header = header;
            this.rows = List.copyOf(rows);
            this.line = line;
        }

        /** Writes the whole report. */
        public void to(Appendable out) throws IOException {
            out.append(header).append('\n');
            long number = 0;
            StringBuilder text = new StringBuilder();
            for (Row row : rows) {
                for (int i = 0; i < row.times(); i++) {
                    text.setLength(0);
                    text.append(number++).append(", ");
                    line.cells(text, row.metrics());
                    text.setCharAt(text.length() - 1, '\n');
                    out.append(text);
                }
            }
        }

        /** Returns the whole report. */
        public String text() {
            StringBuilder out = new StringBuilder();
            Unchecked.run(() -> to(out));
            return out.toString();
        }
    }

    /** Writes the cells of a layer, each followed by a comma and a blank. */
    private interface Line {
        void cells(StringBuilder out, LayerMetrics layer);
    }

    private Reports() {}

    public static List<Row> once(List<LayerMetrics> layers) {
        return layers.stream().map(layer -> new Row(layer, 1)).toList();
    }

    /** {@code COMPUTE_REPORT.csv}; version 3 adds the cycles including prefetch. */
    public static Report compute(List<Row> rows, ScaleSimCompat compat) {
        boolean hasPrefetch = compat != ScaleSimCompat.V2;
        String header = "LayerID, " + (hasPrefetch ? "Total Cycles (incl. prefetch), " : "")
                + "Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,";
        return new Report(header, rows, (out, layer) -> {
            if (hasPrefetch) {
                out.append(layer.cyclesWithPrefetch()).append(", ");
            }
            out.append(layer.totalCycles())
                    .append(", ")
                    .append(layer.stallCycles())
                    .append(", ");
            decimal(out, layer.overallUtilization());
            decimal(out, layer.mappingEfficiency());
            decimal(out, layer.computeUtilization());
        });
    }

    /** {@code BANDWIDTH_REPORT.csv}; with sparse filters it includes the metadata bandwidth. */
    public static Report bandwidth(List<Row> rows, boolean isSparse) {
        String header = "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, "
                + (isSparse ? "Avg FILTER Metadata SRAM BW, " : "")
                + "Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, Avg FILTER DRAM BW, Avg OFMAP DRAM BW,";
        return new Report(header, rows, (out, layer) -> {
            double cycles = layer.totalCycles();
            decimal(out, layer.image().sram().words() / cycles);
            decimal(out, layer.filter().sram().words() / cycles);
            layer.sparse().ifPresent(sparse -> decimal(out, sparse.metadata() / cycles));
            decimal(out, layer.output().sram().words() / cycles);
            decimal(out, layer.image().dram().bandwidth());
            decimal(out, layer.filter().dram().bandwidth());
            decimal(out, layer.output().dram().bandwidth());
        });
    }

    /** {@code DETAILED_ACCESS_REPORT.csv}. */
    public static Report detailed(List<Row> rows) {
        StringBuilder header = new StringBuilder("LayerID, ");
        for (String memory : List.of("SRAM", "DRAM")) {
            for (String operand : List.of("IFMAP", "Filter", "OFMAP")) {
                String name = memory + " " + operand;
                header.append(name)
                        .append(" Start Cycle, ")
                        .append(name)
                        .append(" Stop Cycle, ")
                        .append(name);
                header.append(operand.equals("OFMAP") ? " Writes, " : " Reads, ");
            }
        }
        header.setLength(header.length() - 1);
        return new Report(header.toString(), rows, (out, layer) -> {
            span(out, layer.image().sram(), layer.isImageReadsFractional());
            span(out, layer.filter().sram(), false);
            span(out, layer.output().sram(), false);
            for (OperandTraffic operand : List.of(layer.image(), layer.filter(), layer.output())) {
                span(out, operand.dram(), false);
            }
        });
    }

    /** {@code SPARSE_REPORT.csv}, for layers with sparse filters. */
    public static Report sparse(List<Row> rows, SparseSpec spec) {
        String header = "LayerID, Sparsity Representation, Original Filter Storage, "
                + "New Storage (Filter+Metadata), Filter Metadata Storage, Avg FILTER Metadata SRAM BW, ";
        return new Report(header, rows, (out, layer) -> {
            layer.sparse().ifPresent(storage -> {
                out.append(KeyNames.constant(spec.format())).append(", ");
                out.append(storage.original()).append(", ");
                words(out, storage.stored(), !storage.isWhole());
                words(out, storage.metadata(), !storage.isWhole());
                decimal(out, storage.metadata() / layer.totalCycles());
            });
        });
    }

    private static void span(StringBuilder out, TrafficSpan span, boolean isFractional) {
        out.append(span.start()).append(".0, ").append(span.stop()).append(".0, ");
        words(out, span.words(), isFractional);
    }

    private static void words(StringBuilder out, double words, boolean isFractional) {
        if (isFractional) {
            decimal(out, words);
        } else {
            out.append((long) words).append(", ");
        }
    }

    private static void decimal(StringBuilder out, double value) {
        out.append(ShortestDouble.of(value)).append(", ");
    }
}
