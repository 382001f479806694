package dev.stagesim.sim.network;

import java.util.Arrays;

/**
 * Devices and the directed links between them. NPUs are the devices 0 to {@link #npus()} exclusive; switches follow.
 *
 * <p>Links are numbered in the order of their addition.
 */
public final class LinkGraph {
    private final int npus;
    private final int devices;
    private int links;
    private int[] from = new int[64];
    private int[] to = new int[64];
    private int[] dimension = new int[64];
    private double[] bytesPerNs = new double[64];
    private double[] latency = new double[64];

    /**
     * Creates a graph without links.
     *
     * @param npus NPUs, at least 2
     * @param devices NPUs and switches together
     */
    public LinkGraph(int npus, int devices) {
        if (npus < 2 || devices < npus) {
            throw new IllegalArgumentException(npus + " NPUs among " + devices + " devices");
        }
        this.npus = npus;
        this.devices = devices;
    }

    /**
     * Adds a link.
     *
     * @param tier dimension or tier of the link, for reports
     * @param rate bytes per ns, above 0
     * @param delay ns, at least 0
     * @return number of the link
     */
    public int add(int source, int destination, int tier, double rate, double delay) {
        if (source < 0 || source >= devices || destination < 0 || destination >= devices || source == destination) {
            throw new IllegalArgumentException("no link goes from " + source + " to " + destination);
        }
        if (!(rate > 0) || !(delay >= 0)) {
            throw new IllegalArgumentException("rate " + rate + ", latency " + delay);
        }
        if (links == from.length) {
            from = Arrays.copyOf(from, links * 2);
            to = Arrays.copyOf(to, links * 2);
            dimension = Arrays.copyOf(dimension, links * 2);
            bytesPerNs = Arrays.copyOf(bytesPerNs, links * 2);
            latency = Arrays.copyOf(latency, links * 2);
        }
        from[links] = source;
        to[links] = destination;
        dimension[links] = tier;
        bytesPerNs[links] = rate;
        latency[links] = delay;
        return links++;
    }

    /** Adds a link in each direction and returns the number of the first. The reverse link has the next number. */
    public int addBoth(int a, int b, int tier, double rate, double delay) {
        int there = add(a, b, tier, rate, delay);
        add(b, a, tier, rate, delay);
        return there;
    }

    public int npus() {
        return npus;
    }

    int devices() {
        return devices;
    }

    /** Number of links. */
    public int links() {
        return links;
    }

    int from(int link) {
        return from[link];
    }

    public int to(int link) {
        return to[link];
    }

    /** Dimension or tier of a link. */
    public int dimension(int link) {
        return dimension[link];
    }

    public double bytesPerNs(int link) {
        return bytesPerNs[link];
    }

    /** Latency of a link in ns. */
    double latency(int link) {
        return latency[link];
    }
}
