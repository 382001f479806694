package dev.stagesim.sim.mnk;

import dev.stagesim.model.ShortestDouble;
import dev.stagesim.sim.systolic.ScaleSimV1;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The products of one pass as tables of SCALE-Sim. */
public final class PassTables {
    private PassTables() {}

    /** Returns the topology of a pass, a row per kind of product. */
    public static String topology(List<MnkLayer> layers, Pass pass, Cluster cluster) {
        StringBuilder text = new StringBuilder(
                "Layer name,ifmap height,ifmap width,filter height,filter width,channels,num filter,strides,\n");
        for (MnkLayer layer : layers) {
            for (Work work : layer.work(pass, cluster)) {
                Gemm gemm = work.gemm();
                text.append(layer.name()).append(',').append(gemm.m()).append(',');
                text.append(gemm.k()).append(",1,").append(gemm.k()).append(",1,");
                text.append(gemm.n()).append(",1,\n");
            }
        }
        return text.toString();
    }

    /** Returns the cycles of a pass as version 1 writes them, a row per kind of product. */
    public static String firstVersionCycles(List<MnkLayer> layers, Pass pass, Cluster cluster, ArraySpec array) {
        Map<Gemm, Double> known = new LinkedHashMap<>();
        StringBuilder text = new StringBuilder("Layer,\tCycles,\t% Utilization,\n");
        for (MnkLayer layer : layers) {
            for (Work work : layer.work(pass, cluster)) {
                Gemm gemm = work.gemm();
                double use = known.computeIfAbsent(
                        gemm,
                        each -> ScaleSimV1.utilization(
                                array.dataflow(), array.rows(), array.columns(), each.m(), each.k(), each.n()));
                text.append(layer.name()).append(",\t").append(cycles(gemm, array));
                text.append(",\t").append(ShortestDouble.of(use)).append(",\n");
            }
        }
        return text.toString();
    }

    /** Returns the cycles of a product by version 1. */
    public static long cycles(Gemm gemm, ArraySpec array) {
        return ScaleSimV1.cycles(array.dataflow(), array.rows(), array.columns(), gemm.m(), gemm.k(), gemm.n());
    }
}
