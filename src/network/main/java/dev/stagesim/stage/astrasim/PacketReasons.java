package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.sim.network.packet.PacketTotals;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.List;

/** Effects in a packet run that analytical networks do not model, as sentences. */
final class PacketReasons {
    private static final double CLEARLY = 0.1;

    /** True of every run; used if no other effect occurred. */
    private static final String ALWAYS =
            "A message is done when its last frame has crossed every cable in turn, headers included, and its"
                    + " acknowledgement is back; analytical networks charge bytes and latency once.";

    private final List<PortUse> ports;
    private final PacketTotals totals;
    private final long duration;
    private final int hosts;

    PacketReasons(List<PortUse> ports, PacketTotals totals, long duration) {
        this.ports = ports;
        this.totals = totals;
        this.duration = Math.max(1, duration);
        hosts = ports.stream()
                .filter(use -> !use.at().atSwitch())
                .mapToInt(use -> use.at().node() + 1)
                .max()
                .orElse(0);
    }

    List<String> list() {
        List<String> reasons = new ArrayList<>();
        bottleneck(reasons);
        queues(reasons);
        pauses(reasons);
        if (totals.marked() > 0) {
            reasons.add(frames(totals.marked()) + " marked, having left a queue longer than mark_min.");
        }
        if (totals.lost() + totals.dropped() > 0) {
            reasons.add(frames(totals.lost() + totals.dropped()) + " lost or found no room; flows went back "
                    + times(totals.retransmissions()) + ".");
        }
        reasons.add(ALWAYS);
        return reasons;
    }

    /** A number of frames with a verb: {@code 1 frame was}. */
    static String frames(long count) {
        return Numbers.count(count) + (count == 1 ? " frame was" : " frames were");
    }

    static String times(long count) {
        return count == 1 ? "once" : Numbers.count(count) + " times";
    }

    private boolean joinsSwitches(PortUse use) {
        return use.at().atSwitch() && use.at().peer() >= hosts;
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

    private void queues(List<String> reasons) {
        long waited = 0;
        long frames = 0;
        long highest = 0;
        for (PortUse use : ports) {
            if (use.at().atSwitch()) {
                waited += use.waitedNs();
                frames += use.frames();
                highest = Math.max(highest, use.maxWaiting());
            }
        }
        if (waited > 0) {
            double mean = (double) waited / frames;
            reasons.add("A frame waited "
                    + (mean < 1 ? "less than 1 ns" : TimeScale.fit((long) mean).withUnit((long) mean))
                    + " at each switch on average, and at most " + Numbers.count(highest)
                    + " bytes were queued at one port.");
        }
    }

    private void pauses(List<String> reasons) {
        long paused = ports.stream().filter(use -> use.pauses().count() > 0).count();
        if (paused > 0) {
            PortUse longest = ports.stream()
                    .reduce((a, b) -> b.pauses().ns() > a.pauses().ns() ? b : a)
                    .orElseThrow();
            reasons.add("Ports that were paused: " + Numbers.count(paused) + ", the longest for "
                    + Numbers.share(Math.min(100, 100.0 * longest.pauses().ns() / duration), 1) + " of the time ("
                    + (longest.at().atSwitch() ? "switch " : "host ")
                    + longest.at().node() + ").");
        }
    }
}
