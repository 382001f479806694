package dev.stagesim.io.scalesim;

import dev.stagesim.model.ShortestDouble;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.sim.systolic.OperandFigures;
import dev.stagesim.sim.systolic.Span;
import dev.stagesim.sim.systolic.SparseSpec;
import java.util.List;
import java.util.Locale;

/** The reports of a run, with the reference's columns and number formatting. */
public final class Reports {
    private Reports() {}

    /** {@code COMPUTE_REPORT.csv}; the third version also reports cycles with prefetch. */
    public static String compute(List<LayerFigures> layers, Compat compat) {
        boolean hasPrefetch = compat != Compat.V2;
        StringBuilder out = new StringBuilder("LayerID, ")
                .append(hasPrefetch ? "Total Cycles (incl. prefetch), " : "")
                .append("Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,\n");
        for (int i = 0; i < layers.size(); i++) {
            LayerFigures layer = layers.get(i);
            out.append(i).append(", ");
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
            end(out);
        }
        return out.toString();
    }

    /** {@code BANDWIDTH_REPORT.csv}. */
    public static String bandwidth(List<LayerFigures> layers) {
        boolean isSparse = isSparse(layers);
        StringBuilder out = new StringBuilder("LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, ")
                .append(isSparse ? "Avg FILTER Metadata SRAM BW, " : "")
                .append("Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, Avg FILTER DRAM BW, Avg OFMAP DRAM BW,\n");
        for (int i = 0; i < layers.size(); i++) {
            LayerFigures layer = layers.get(i);
            double cycles = layer.totalCycles();
            out.append(i).append(", ");
            decimal(out, layer.image().sram().words() / cycles);
            decimal(out, layer.filter().sram().words() / cycles);
            layer.sparse().ifPresent(sparse -> decimal(out, sparse.metadata() / cycles));
            decimal(out, layer.output().sram().words() / cycles);
            decimal(out, layer.image().dram().bandwidth());
            decimal(out, layer.filter().dram().bandwidth());
            decimal(out, layer.output().dram().bandwidth());
            end(out);
        }
        return out.toString();
    }

    private static boolean isSparse(List<LayerFigures> layers) {
        return !layers.isEmpty() && layers.get(0).sparse().isPresent();
    }

    /** {@code DETAILED_ACCESS_REPORT.csv}. */
    public static String detailed(List<LayerFigures> layers) {
        StringBuilder out = new StringBuilder("LayerID, ");
        for (String memory : List.of("SRAM", "DRAM")) {
            for (String operand : List.of("IFMAP", "Filter", "OFMAP")) {
                String name = memory + " " + operand;
                out.append(name)
                        .append(" Start Cycle, ")
                        .append(name)
                        .append(" Stop Cycle, ")
                        .append(name);
                out.append(operand.equals("OFMAP") ? " Writes, " : " Reads, ");
            }
        }
        out.setLength(out.length() - 1);
        out.append('\n');
        for (int i = 0; i < layers.size(); i++) {
            LayerFigures layer = layers.get(i);
            out.append(i).append(", ");
            span(out, layer.image().sram(), layer.isImageReadsFractional());
            span(out, layer.filter().sram(), false);
            span(out, layer.output().sram(), false);
            for (OperandFigures operand : List.of(layer.image(), layer.filter(), layer.output())) {
                span(out, operand.dram(), false);
            }
            end(out);
        }
        return out.toString();
    }

    /** {@code SPARSE_REPORT.csv}, for layers with sparse filters. */
    public static String sparse(List<LayerFigures> layers, SparseSpec spec) {
        StringBuilder out = new StringBuilder("LayerID, Sparsity Representation, Original Filter Storage, ")
                .append("New Storage (Filter+Metadata), Filter Metadata Storage, Avg FILTER Metadata SRAM BW, \n");
        for (int i = 0; i < layers.size(); i++) {
            LayerFigures layer = layers.get(i);
            int row = i;
            layer.sparse().ifPresent(storage -> {
                out.append(row)
                        .append(", ")
                        .append(spec.format().name().toLowerCase(Locale.ROOT))
                        .append(", ");
                out.append(storage.original()).append(", ");
                words(out, storage.stored(), !storage.isWhole());
                words(out, storage.metadata(), !storage.isWhole());
                decimal(out, storage.metadata() / layer.totalCycles());
                end(out);
            });
        }
        return out.toString();
    }

    private static void span(StringBuilder out, Span span, boolean isFractional) {
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

    private static void end(StringBuilder out) {
        out.setLength(out.length() - 1);
        out.append('\n');
    }
}
