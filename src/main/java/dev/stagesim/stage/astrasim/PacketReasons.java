package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.sim.network.packet.PacketTotals;
import dev.stagesim.sim.network.packet.PortUse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What a packet run met that analytical networks leave out, in sentences. */
final class PacketReasons {
    private static final double CLEARLY = 0.1;
    private static final double UNEVEN = 1.2;

    private final List<PortUse> ports;
    private final PacketTotals totals;
    private final long duration;
    private final int hosts;

    PacketReasons(List<PortUse> ports, PacketTotals totals, long duration) {
        this.ports = ports;
        this.totals = totals;
        this.duration = Math.max(1, duration);
        hosts = ports.stream()
                .filter(use -> !use.atSwitch())
                .mapToInt(use -> use.node() + 1)
                .max()
                .orElse(0);
    }

    List<String> list() {
        List<String> reasons = new ArrayList<>();
        bottleneck(reasons);
        unevenPaths(reasons);
        queues(reasons);
        pauses(reasons);
        if (totals.marked() > 0) {
            reasons.add(Numbers.count(totals.marked()) + " frames were marked by full queues.");
        }
        if (totals.lost() + totals.dropped() > 0) {
            reasons.add(Numbers.count(totals.lost() + totals.dropped())
                    + " frames were lost or found no room; flows went back "
                    + Numbers.count(totals.retransmissions()) + " times.");
        }
        return reasons;
    }

    private boolean joinsSwitches(PortUse use) {
        return use.atSwitch() && use.peer() >= hosts;
    }

    private double busy(PortUse use) {
        return Math.min(1, (double) use.busyNs() / duration);
    }

    private void bottleneck(List<String> reasons) {
        double between = ports.stream()
                .filter(this::joinsSwitches)
                .mapToDouble(this::busy)
                .max()
                .orElse(0);
        double edge = ports.stream()
                .filter(use -> !joinsSwitches(use))
                .mapToDouble(this::busy)
                .max()
                .orElse(0);
        if (between > edge + CLEARLY) {
            reasons.add("Cables between switches are the bottleneck: the busiest sent "
                    + Numbers.share(100 * between, 1) + " of the time, the busiest cable of a host "
                    + Numbers.share(100 * edge, 1) + ".");
        }
    }

    /** The switch whose equal cables to other switches carried most unequal loads. */
    private void unevenPaths(List<String> reasons) {
        TreeMap<List<Long>, long[]> loads = new TreeMap<>((a, b) -> {
            int node = Long.compare(a.get(0), b.get(0));
            return node != 0 ? node : Long.compare(a.get(1), b.get(1));
        });
        for (PortUse use : ports) {
            if (joinsSwitches(use) && use.bytes() > 0) {
                long[] range = loads.computeIfAbsent(
                        List.of((long) use.node(), use.rate()), key -> new long[] {Long.MAX_VALUE, 0});
                range[0] = Math.min(range[0], use.bytes());
                range[1] = Math.max(range[1], use.bytes());
            }
        }
        double worst = 0;
        long node = 0;
        for (var entry : loads.entrySet()) {
            double ratio = (double) entry.getValue()[1] / entry.getValue()[0];
            if (ratio > worst) {
                worst = ratio;
                node = entry.getKey().get(0);
            }
        }
        if (worst > UNEVEN) {
            reasons.add("Flows are dealt out unevenly: of the equal cables from switch " + node
                    + " to other switches, the busiest carried " + Numbers.times(worst) + " the bytes of the idlest.");
        }
    }

    private void queues(List<String> reasons) {
        long waited = 0;
        long frames = 0;
        long most = 0;
        for (PortUse use : ports) {
            if (use.atSwitch()) {
                waited += use.waitedNs();
                frames += use.frames();
                most = Math.max(most, use.mostWaiting());
            }
        }
        if (waited > 0) {
            long mean = waited / frames;
            reasons.add("A frame waited " + TimeScale.fit(mean).withUnit(mean)
                    + " at each switch on average, and at most " + Numbers.count(most) + " bytes stood at one port.");
        }
    }

    private void pauses(List<String> reasons) {
        long paused = ports.stream().filter(use -> use.pauses() > 0).count();
        if (paused > 0) {
            PortUse longest = ports.stream()
                    .reduce((a, b) -> b.pausedNs() > a.pausedNs() ? b : a)
                    .orElseThrow();
            reasons.add("Ports that were paused: " + Numbers.count(paused) + ", the longest for "
                    + Numbers.share(Math.min(100, 100.0 * longest.pausedNs() / duration), 1) + " of the time ("
                    + (longest.atSwitch() ? "switch " : "host ") + longest.node() + ").");
        }
    }
}
