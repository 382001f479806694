package dev.stagesim.sim.serving.cluster;

/**
 * The routers of LLMServingSim 2: a counter, or the least load looked for from behind the instance chosen last.
 *
 * <p>Load is (4 x waiting + running) / capacity, undivided where the capacity is 0.
 */
public final class RotatingRouter {
    private static final int WAITING_WEIGHT = 4;

    private final int[] capacities;
    private final boolean byLoad;
    private int pointer;

    /** What a router may look at. */
    public interface Load {
        int waiting(int instance);

        int running(int instance);
    }

    /** A router over instances 0, 1, ... with these batch limits. */
    public RotatingRouter(int[] capacities, boolean byLoad) {
        this.capacities = capacities.clone();
        this.byLoad = byLoad;
    }

    /** The instance of the next request. */
    public int choose(Load load) {
        int chosen = pointer;
        if (byLoad) {
            double least = Double.POSITIVE_INFINITY;
            for (int i = 0; i < capacities.length; i++) {
                int instance = (pointer + i) % capacities.length;
                double of = of(load, instance);
                if (of < least) {
                    least = of;
                    chosen = instance;
                }
            }
        }
        pointer = (chosen + 1) % capacities.length;
        return chosen;
    }

    private double of(Load load, int instance) {
        double work = WAITING_WEIGHT * load.waiting(instance) + load.running(instance);
        return capacities[instance] == 0 ? work : work / capacities[instance];
    }
}
