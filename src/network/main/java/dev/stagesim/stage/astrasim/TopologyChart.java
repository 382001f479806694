package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Drawing;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Drawing of a topology in tiers, with hosts at the bottom. Cable width is proportional to the load of the busier
 * direction.
 *
 * <p>The tier of a switch is its distance from the nearest host. If cables join switches of one tier, as in a torus or
 * a dragonfly, tiers are circles with the hosts on the outer one.
 */
final class TopologyChart {
    private static final int WIDTH = 1160;
    private static final int TIER = 130;
    private static final int MARGIN = 50;
    private static final int ROUND = 700;
    private static final int MAX_NODES = 400;
    private static final int MAX_NAMED = 48;
    private static final double LABEL = 20;
    private static final double BELOW = 14;
    private static final double HALF_LETTER = 4;
    // Cable width in pixels: minimum, and additional width at full load.
    private static final double MIN_WIDTH = 0.6;
    private static final double LOAD_WIDTH = 9;
    private static final double HOT_LOAD = 0.5;
    private static final double MIN_OUTLIER_RATIO = 1.25;
    private static final double OUTLIER_SHARE = 0.9;

    private final PacketTopology topology;
    private final double[] busy;
    private final int[] tier;
    private final int tiers;
    private final boolean isRound;
    private final int height;
    private final double[] x;
    private final double[] y;

    private TopologyChart(PacketTopology topology, List<PortUse> ports, long durationNs) {
        this.topology = topology;
        tier = tiers(topology);
        tiers = Arrays.stream(tier).max().orElse(0) + 1;
        isRound = topology.cables().stream().anyMatch(cable -> tier[cable.a()] == tier[cable.b()]);
        height = isRound ? ROUND : 2 * MARGIN + (tiers - 1) * TIER;
        x = new double[tier.length];
        y = new double[tier.length];
        place();
        busy = busy(topology, ports, durationNs);
    }

    /** True if a topology is small enough to be drawn. */
    static boolean isDrawable(PacketTopology topology) {
        return topology.nodes() <= MAX_NODES;
    }

    static Markup draw(PacketTopology topology, List<PortUse> ports, long durationNs) {
        return new TopologyChart(topology, ports, durationNs).draw();
    }

    private static int[] tiers(PacketTopology topology) {
        int[] tier = new int[topology.nodes()];
        topology.switches().forEach(node -> tier[node] = Integer.MAX_VALUE - 1);
        for (boolean changed = true; changed; ) {
            changed = false;
            for (PacketTopology.Cable cable : topology.cables()) {
                for (int[] ends : new int[][] {{cable.a(), cable.b()}, {cable.b(), cable.a()}}) {
                    if (tier[ends[0]] > tier[ends[1]] + 1) {
                        tier[ends[0]] = tier[ends[1]] + 1;
                        changed = true;
                    }
                }
            }
        }
        for (int node = 0; node < tier.length; node++) {
            tier[node] = tier[node] > topology.nodes() ? 1 : tier[node];
        }
        return tier;
    }

    private void place() {
        int[] inTier = new int[tiers];
        for (int each : tier) {
            inTier[each]++;
        }
        int[] next = new int[tiers];
        for (int node = 0; node < tier.length; node++) {
            int mine = tier[node];
            double share = (next[mine]++ + 0.5) / inTier[mine];
            if (isRound) {
                double radius = (ROUND / 2.0 - MARGIN) * (tiers - mine) / tiers;
                x[node] = WIDTH / 2.0 - radius * StrictMath.cos(2 * Math.PI * share);
                y[node] = ROUND / 2.0 - radius * StrictMath.sin(2 * Math.PI * share);
            } else {
                x[node] = MARGIN + (WIDTH - 2.0 * MARGIN) * share;
                y[node] = MARGIN + (tiers - 1.0 - mine) * TIER + (mine > 0 && node % 2 == 1 ? 14 : 0);
            }
        }
    }

    /** Load of the busier direction of each cable, as a share of the duration. */
    private static double[] busy(PacketTopology topology, List<PortUse> ports, long durationNs) {
        double[] busy = new double[topology.cables().size()];
        int[] seen = new int[topology.nodes()];
        List<List<PortUse>> byNode = new ArrayList<>();
        for (int node = 0; node < topology.nodes(); node++) {
            byNode.add(new ArrayList<>());
        }
        ports.forEach(use -> byNode.get(use.at().node()).add(use));
        for (int i = 0; i < busy.length; i++) {
            PacketTopology.Cable cable = topology.cables().get(i);
            for (int end : new int[] {cable.a(), cable.b()}) {
                PortUse use = byNode.get(end).get(seen[end]++);
                busy[i] = Math.max(busy[i], durationNs == 0 ? 0 : Math.min(1, (double) use.busyNs() / durationNs));
            }
        }
        return busy;
    }

    /**
     * Load above which a cable counts as hot: half of the time, or less if a few cables are clearly busier than the
     * rest.
     */
    private double hot() {
        double[] sorted = busy.clone();
        Arrays.sort(sorted);
        double max = sorted.length == 0 ? 0 : sorted[sorted.length - 1];
        double median = sorted.length == 0 ? 0 : sorted[sorted.length / 2];
        return max > MIN_OUTLIER_RATIO * median ? Math.min(HOT_LOAD, OUTLIER_SHARE * max) : HOT_LOAD;
    }

    private Markup draw() {
        double hot = hot();
        Drawing out = new Drawing(WIDTH, height, "Hosts, switches and cables; the thicker a cable, the busier");
        for (int i = 0; i < busy.length; i++) {
            PacketTopology.Cable cable = topology.cables().get(i);
            String colour = busy[i] > hot ? "var(--s2)" : "var(--s1)";
            out.line(
                    x[cable.a()],
                    y[cable.a()],
                    x[cable.b()],
                    y[cable.b()],
                    cable.a() + " – " + cable.b() + ": " + Numbers.share(100 * busy[i], 1) + " busy",
                    "stroke",
                    colour,
                    "stroke-opacity",
                    "0.6",
                    "stroke-width",
                    Drawing.num(MIN_WIDTH + busy[i] * LOAD_WIDTH));
        }
        boolean named = topology.hosts() <= MAX_NAMED;
        boolean[] isSwitch = topology.isSwitch();
        for (int node = 0; node < tier.length; node++) {
            boolean isHost = !isSwitch[node];
            String name = (isHost ? "host " : "switch ") + node;
            out.circle(x[node], y[node], isHost ? 5 : 9, name, "fill", isHost ? "var(--s3)" : "var(--s1)");
            if (named || (!isHost && topology.switches().size() <= MAX_NAMED)) {
                name(out, node, isHost);
            }
        }
        return out.build();
    }

    /**
     * Writes the number of a node: below hosts and above switches; in circles on the outer side, which has no cables.
     */
    private void name(Drawing out, int node, boolean isHost) {
        double dx = 0;
        double dy = isHost ? LABEL : -BELOW;
        if (isRound) {
            double radius = Math.hypot(x[node] - WIDTH / 2.0, y[node] - ROUND / 2.0);
            double way = isHost ? LABEL : -LABEL;
            dx = radius == 0 ? 0 : way * (x[node] - WIDTH / 2.0) / radius;
            dy = (radius == 0 ? way : way * (y[node] - ROUND / 2.0) / radius) + HALF_LETTER;
        }
        out.text(x[node] + dx, y[node] + dy, "middle", Integer.toString(node));
    }
}
