package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.sim.core.Tournament;

/** Loads of the instances of a group; the least is that of an instance that is open. */
public final class Loads {
    private final AvailableInstances members;
    private final double[] all;
    private final Tournament least;

    public Loads(RoutingGroup group) {
        members = group.members();
        all = new double[group.size()];
        least = new Tournament(all.length, 0);
    }

    public void set(int instance, double load) {
        all[instance] = load;
        if (members.isOpen(instance)) {
            least.set(instance, load);
        }
    }

    public void add(int instance, double more) {
        set(instance, all[instance] + more);
    }

    public double get(int instance) {
        return all[instance];
    }

    /** The instance with the least load, the first of equals. */
    public int least() {
        return least.least();
    }

    public double value() {
        return least.value();
    }

    /** An instance was opened or closed. */
    public void changed(int instance) {
        least.set(instance, members.isOpen(instance) ? all[instance] : Double.POSITIVE_INFINITY);
    }
}
