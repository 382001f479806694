package dev.stagesim.feature.cluster;

import dev.stagesim.sim.core.Tournament;

/** Loads of the instances of a group; the least is that of an instance that is open. */
final class Loads {
    private final Members members;
    private final double[] all;
    private final Tournament least;

    Loads(Group group) {
        members = group.members();
        all = new double[group.size()];
        least = new Tournament(all.length, 0);
    }

    void set(int instance, double load) {
        all[instance] = load;
        if (members.isOpen(instance)) {
            least.set(instance, load);
        }
    }

    void add(int instance, double more) {
        set(instance, all[instance] + more);
    }

    double get(int instance) {
        return all[instance];
    }

    /** The instance with the least load, the first of equals. */
    int least() {
        return least.least();
    }

    double value() {
        return least.value();
    }

    /** An instance was opened or closed. */
    void changed(int instance) {
        least.set(instance, members.isOpen(instance) ? all[instance] : Double.POSITIVE_INFINITY);
    }
}
