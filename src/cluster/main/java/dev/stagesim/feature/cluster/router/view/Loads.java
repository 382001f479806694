package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.sim.core.Tournament;

/** Loads of the instances of a group, with the minimum over open instances. */
public final class Loads {
    private final AvailableInstances members;
    private final double[] all;
    private final Tournament tree;

    public Loads(RoutingGroup group) {
        members = group.members();
        all = new double[group.size()];
        tree = new Tournament(all.length, 0);
    }

    public void set(int instance, double load) {
        all[instance] = load;
        if (members.isOpen(instance)) {
            tree.set(instance, load);
        }
    }

    public void add(int instance, double more) {
        set(instance, all[instance] + more);
    }

    public double get(int instance) {
        return all[instance];
    }

    /** Returns the open instance with the lowest load, the first if several. */
    public int leastLoaded() {
        return tree.least();
    }

    public double minimum() {
        return tree.value();
    }

    /** Updates an instance that was opened or closed. */
    public void changed(int instance) {
        tree.set(instance, members.isOpen(instance) ? all[instance] : Double.POSITIVE_INFINITY);
    }
}
