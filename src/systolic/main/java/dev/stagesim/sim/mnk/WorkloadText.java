package dev.stagesim.sim.mnk;

import java.util.List;

/** The text workload of ASTRA-sim 1.0. */
public final class WorkloadText {
    private static final int UPDATE_DELAY = 100;

    private WorkloadText() {}

    /**
     * The line of a layer.
     *
     * @param cycles compute time of each pass, as text
     * @param isTraining whether gradients are exchanged
     */
    public record Row(MnkLayer layer, List<String> cycles, boolean isTraining) {
        public Row {
            cycles = List.copyOf(cycles);
        }
    }

    /** Returns the whole file: policy, number of layers, one line per layer, without a final line end. */
    public static String of(String policy, List<Row> rows, Cluster cluster, int bytesPerValue) {
        StringBuilder out = new StringBuilder(policy).append('\n').append(rows.size());
        for (Row row : rows) {
            MnkLayer layer = row.layer();
            out.append('\n').append(layer.name()).append("\t-1");
            for (Pass pass : Pass.values()) {
                Collective collective = row.isTraining() || pass == Pass.FORWARD
                        ? layer.collective(pass, cluster, bytesPerValue)
                        : Collective.NONE;
                out.append('\t')
                        .append(row.cycles().get(pass.ordinal()))
                        .append('\t')
                        .append(collective.type());
                out.append('\t').append(collective.bytes());
            }
            out.append('\t').append(UPDATE_DELAY).append('\t').append(layer.parallelism());
        }
        return out.toString();
    }
}
