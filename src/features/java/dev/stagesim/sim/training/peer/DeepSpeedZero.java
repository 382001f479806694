package dev.stagesim.sim.training.peer;

/** Memory that DeepSpeed's estimators state for ZeRO stages 2 and 3 (38327e07), in bytes. */
public final class DeepSpeedZero {
    private static final double STATES = 18;

    private DeepSpeedZero() {}

    /**
     * What a device and its host need.
     *
     * @param device bytes on each device
     * @param host bytes on each node
     * @param largestLayer bytes of the largest layer, gathered; 0 for stage 2
     */
    public record Need(long device, long host, long largestLayer) {}

    /**
     * A model on a cluster.
     *
     * @param parameters parameters of the model
     * @param perNode devices of a node
     * @param buffers factor on what the host holds
     */
    public record Setting(long parameters, long perNode, long nodes, double buffers) {
        long devices() {
            return perNode * nodes;
        }
    }

    /** Stage 2. */
    public static Need stage2(Setting in, boolean offloadsOptimizer) {
        if (offloadsOptimizer) {
            double host = in.parameters * (double) Math.max(4 * in.devices(), 16) * in.buffers;
            return new Need(2 * in.parameters, (long) host, 0);
        }
        long device = 2 * in.parameters + (long) (STATES * in.parameters / in.devices());
        return new Need(device, (long) (in.parameters * 4.0 * in.perNode * in.buffers), 0);
    }

    /**
     * Stage 3.
     *
     * @param largest parameters of the largest layer
     * @param offloadsOptimizer whether the host holds the optimizer
     * @param offloadsParameters whether the host holds the parameters too; counts only with the optimizer
     * @param startsSharded whether the model is built in shards
     */
    public static Need stage3(
            Setting in, long largest, boolean offloadsOptimizer, boolean offloadsParameters, boolean startsSharded) {
        double share = 1.0 / in.nodes;
        double parameters = in.parameters;
        long layer = 4 * largest;
        if (!offloadsOptimizer) {
            long device = layer + (long) (STATES * parameters / in.devices());
            double held = startsSharded ? largest : parameters;
            return new Need(device, (long) (held * 4 * in.perNode * in.buffers), layer);
        }
        double states = offloadsParameters ? STATES : 16;
        long device = offloadsParameters ? layer : layer + (long) (2 * parameters / in.devices());
        double host = startsSharded
                ? parameters * states * share * in.buffers
                : parameters * Math.max(4.0 * in.perNode, states * share) * in.buffers;
        return new Need(device, (long) host, layer);
    }
}
