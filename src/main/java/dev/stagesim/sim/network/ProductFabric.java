package dev.stagesim.sim.network;

import java.util.ArrayList;
import java.util.List;

/**
 * A product of dimensions as links, routed dimension by dimension from the first: a torus of rings, a mesh, a cube of
 * switches.
 *
 * <p>Every line of NPUs along a dimension has links of its own, and a switch of its own where the dimension is one. A
 * ring goes the shorter way round, forward when both are as long; a ring of two is one link each way. O(dimensions) per
 * hop.
 */
final class ProductFabric implements Router {
    private final List<Dimension> dimensions;
    private final LinkGraph graph;
    private final int[] stride;
    private final int[] firstLink;
    private final int[] firstSwitch;

    private ProductFabric(List<Dimension> dimensions) {
        this.dimensions = dimensions;
        int n = dimensions.size();
        stride = new int[n + 1];
        firstLink = new int[n];
        firstSwitch = new int[n + 1];
        stride[0] = 1;
        for (int d = 0; d < n; d++) {
            stride[d + 1] = Math.multiplyExact(stride[d], dimensions.get(d).npus());
        }
        int npus = stride[n];
        firstSwitch[0] = npus;
        for (int d = 0; d < n; d++) {
            boolean isSwitch = dimensions.get(d).topology() == Topology.SWITCH;
            int lines = isSwitch ? npus / dimensions.get(d).npus() : 0;
            firstSwitch[d + 1] = Math.addExact(firstSwitch[d], lines);
        }
        graph = new LinkGraph(npus, firstSwitch[n]);
        for (int d = 0; d < n; d++) {
            firstLink[d] = graph.links();
            for (int line = 0; line < npus / dimensions.get(d).npus(); line++) {
                connect(d, line);
            }
        }
    }

    static Fabric of(List<Dimension> dimensions) {
        ProductFabric product = new ProductFabric(List.copyOf(dimensions));
        List<Integer> sizes = new ArrayList<>();
        dimensions.forEach(dimension -> sizes.add(dimension.npus()));
        return new Fabric(product.graph, product, sizes);
    }

    private void connect(int d, int line) {
        Dimension dimension = dimensions.get(d);
        int n = dimension.npus();
        double rate = dimension.bytesPerNs();
        double latency = dimension.latency();
        switch (dimension.topology()) {
            case RING, MESH -> {
                for (int i = 0; i < pairs(dimension); i++) {
                    graph.addBoth(npu(d, line, i), npu(d, line, (i + 1) % n), d, rate, latency);
                }
            }
            case SWITCH -> {
                for (int i = 0; i < n; i++) {
                    graph.addBoth(npu(d, line, i), firstSwitch[d] + line, d, rate, latency);
                }
            }
            case FULLY_CONNECTED -> {
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < n; j++) {
                        if (i != j) {
                            graph.add(npu(d, line, i), npu(d, line, j), d, rate, latency);
                        }
                    }
                }
            }
        }
    }

    /** Neighbours that are linked in a line of a ring or mesh. */
    private static int pairs(Dimension dimension) {
        boolean isAround = dimension.topology() == Topology.RING && dimension.npus() > 2;
        return isAround ? dimension.npus() : dimension.npus() - 1;
    }

    private static int linksOfLine(Dimension dimension) {
        int n = dimension.npus();
        return switch (dimension.topology()) {
            case RING, MESH -> 2 * pairs(dimension);
            case SWITCH -> 2 * n;
            case FULLY_CONNECTED -> n * (n - 1);
        };
    }

    /** The NPU at a place of a line: lines along a dimension are numbered by their other coordinates. */
    private int npu(int d, int line, int place) {
        return line % stride[d] + place * stride[d] + line / stride[d] * stride[d + 1];
    }

    private int line(int d, int npu) {
        return npu % stride[d] + npu / stride[d + 1] * stride[d];
    }

    private int place(int d, int npu) {
        return npu / stride[d] % dimensions.get(d).npus();
    }

    @Override
    public int next(int device, int source, int destination) {
        if (device >= graph.npus()) {
            int d = 0;
            while (device >= firstSwitch[d + 1]) {
                d++;
            }
            int line = device - firstSwitch[d];
            return link(d, line, 2 * place(d, destination) + 1);
        }
        int d = 0;
        while (place(d, device) == place(d, destination)) {
            d++;
        }
        int here = place(d, device);
        int there = place(d, destination);
        int n = dimensions.get(d).npus();
        int within =
                switch (dimensions.get(d).topology()) {
                    case SWITCH -> 2 * here;
                    case FULLY_CONNECTED -> here * (n - 1) + (there < here ? there : there - 1);
                    case MESH -> there > here ? 2 * here : 2 * here - 1;
                    case RING -> onRing(here, there, place(d, source), n);
                };
        return link(d, line(d, device), within);
    }

    /** The pair after a place is linked by its links 2i forward and 2i + 1 back. */
    private static int onRing(int here, int there, int start, int n) {
        if (n == 2) {
            return here;
        }
        int forward = Math.floorMod(there - start, n);
        return forward <= n - forward ? 2 * here : 2 * Math.floorMod(here - 1, n) + 1;
    }

    private int link(int d, int line, int within) {
        return firstLink[d] + line * linksOfLine(dimensions.get(d)) + within;
    }
}
