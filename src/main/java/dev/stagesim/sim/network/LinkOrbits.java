package dev.stagesim.sim.network;

import java.util.Arrays;

/**
 * Links of which one stands for others: an orbit holds those that the members of a class cross at the same hop of the same
 * move, each another one, so that all of an orbit carry the same at the same times.
 *
 * <p>As long as it is so, what comes to a link comes in the same order everywhere, but for what comes at one time from
 * two places and was planned at one time by both: their turns follow ranks. That ends the run with {@link SymmetryBroken}.
 */
final class LinkOrbits {
    private static final int NONE = -1;
    private static final int OWN = -1;

    private final int[] orbit;
    private final int[] seen;
    private int round;
    private int orbits;
    private int[] size = new int[4];

    private long[] touched = new long[4];
    private long[] planned = new long[4];
    private int[] place = new int[4];

    LinkOrbits(int links) {
        orbit = new int[links];
        seen = new int[links];
        Arrays.fill(orbit, NONE);
    }

    /** The orbit of a link, or -1 when nothing has been shown to cross it. */
    int of(int link) {
        return orbit[link];
    }

    /** Whether these links can be, or are, all of one orbit. */
    boolean unite(int[] links) {
        round++;
        int its = orbit[links[0]];
        for (int link : links) {
            if (orbit[link] != its || seen[link] == round) {
                return false;
            }
            seen[link] = round;
        }
        if (its != NONE) {
            return size[its] == links.length;
        }
        if (orbits == size.length) {
            size = Arrays.copyOf(size, orbits * 2);
            touched = Arrays.copyOf(touched, orbits * 2);
            planned = Arrays.copyOf(planned, orbits * 2);
            place = Arrays.copyOf(place, orbits * 2);
        }
        for (int link : links) {
            orbit[link] = orbits;
        }
        touched[orbits] = NONE;
        size[orbits++] = links.length;
        return true;
    }

    /** An NPU puts a message on a link of its own. */
    void touchByOwner(int its, long moment) {
        touch(its, moment, OWN, OWN);
    }

    /**
     * An event of a link is due.
     *
     * @param moment the present one, see {@link AnalyticNetwork#moment}
     * @param when the moment in which it was planned
     * @param by the place that planned it
     */
    void touch(int its, long moment, long when, int by) {
        boolean isAgain = touched[its] == moment && (moment & 1) != 0;
        boolean isOneOwner = when == OWN && planned[its] == OWN;
        boolean isUnclear = when == OWN || planned[its] == OWN || (when == planned[its] && by != place[its]);
        if (isAgain && !isOneOwner && isUnclear) {
            throw new SymmetryBroken("messages reach a link at one time, in an order that ranks decide");
        }
        touched[its] = moment;
        planned[its] = when;
        place[its] = by;
    }
}
