package dev.stagesim.sim.network.packet;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PacketTopology.Cable;
import dev.stagesim.sim.network.packet.topology.Ports;
import dev.stagesim.sim.network.packet.topology.Routes;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks a packet network before its simulation. */
public final class PacketCheck {
    private static final BigInteger RESERVE = BigInteger.valueOf(4096);
    private static final int MAX_LISTED = 8;

    private final PacketSpec spec;
    private final String where;
    private final List<Problem> problems = new ArrayList<>();

    private PacketCheck(PacketSpec spec, String where) {
        this.spec = spec;
        this.where = where;
    }

    /**
     * Returns all problems.
     *
     * @param npus NPUs that run on the network
     * @param where name of the network in messages
     */
    public static List<Problem> problems(PacketSpec spec, int npus, String where) {
        PacketCheck check = new PacketCheck(spec, where);
        check.sizes(npus);
        if (check.problems.isEmpty()) {
            check.nodes();
            if (!spec.asReference()) {
                check.buffers();
                check.rates();
                check.paths();
                check.routes();
                check.congestion(npus);
            } else {
                check.additions();
            }
        }
        return check.problems;
    }

    private void refuse(String what) {
        if (problems.size() < MAX_LISTED) {
            problems.add(Problem.config(where, what));
        }
    }

    private void sizes(int npus) {
        int hosts = spec.topology().hosts();
        if (npus < 1 || hosts < 1) {
            refuse("the logical dimensions make " + npus + " NPUs, but the topology has " + hosts + " hosts");
        } else if (!spec.asReference()) {
            // The reference checks the hosts only when they send; the run reports those errors.
            boolean[] isSwitch = spec.topology().isSwitch();
            int first = 0;
            while (first < isSwitch.length && !isSwitch[first]) {
                first++;
            }
            if (npus > hosts) {
                refuse("the logical dimensions make " + npus + " NPUs, but the topology has " + hosts + " hosts");
            } else if (npus > first) {
                refuse("NPU " + first + " is node " + first + ", which is a switch; NPU i is node i, so that the first "
                        + npus + " nodes must be hosts");
            }
        }
    }

    private void nodes() {
        int nodes = spec.topology().nodes();
        Set<Integer> traced = new LinkedHashSet<>();
        for (int node : spec.traced()) {
            if (node < 0 || node >= nodes) {
                refuse("there is no node " + node + " to trace, only " + nodes + " nodes");
            } else if (!traced.add(node) && !spec.asReference()) {
                refuse("node " + node + " is listed twice for tracing");
            }
        }
        spec.linkDown().ifPresent(down -> {
            if (!areJoined(down.a(), down.b())) {
                refuse("there is no link between nodes " + down.a() + " and " + down.b() + " that could fail");
            }
        });
    }

    private void buffers() {
        BigInteger[] needed = new BigInteger[spec.topology().nodes()];
        Arrays.fill(needed, BigInteger.ZERO);
        BigInteger[] max = needed.clone();
        for (Cable cable : spec.topology().cables()) {
            BigInteger headroom = spec.switches().headroom(cable.rate(), cable.delay());
            for (int node : new int[] {cable.a(), cable.b()}) {
                needed[node] = needed[node].add(headroom).add(RESERVE);
                max[node] = max[node].max(headroom);
            }
        }
        BigInteger buffer = BigInteger.valueOf(spec.switches().bufferBytes());
        for (int node : spec.topology().switches()) {
            if (needed[node].compareTo(buffer) < 0 && max[node].bitLength() >= Integer.SIZE) {
                refuse("a port of switch " + node + " reserves " + max[node]
                        + " bytes of headroom, expected less than 2 GiB; make the headroom factor or the"
                        + " delays smaller");
            } else if (needed[node].compareTo(buffer) >= 0) {
                refuse("the buffer of switch " + node + " holds "
                        + spec.switches().bufferBytes()
                        + " bytes, but its ports alone reserve " + needed[node]
                        + "; make it larger, or the headroom factor or the delays smaller");
            }
        }
    }

    private void paths() {
        PathSpec paths = spec.paths();
        PacketTopology topology = spec.topology();
        boolean mustChoose = paths.hashSeed() != 0 || paths.spray();
        if (mustChoose && !routesOn(topology).haveChoices()) {
            String why = "no switch has a choice among equal paths, so that it has no effect";
            if (paths.hashSeed() != 0) {
                refuseKey("ecmp_seed", "is " + paths.hashSeed() + ", but " + why);
            }
            if (paths.spray()) {
                refuseKey("spray", "is true, but " + why);
            }
        }
        if (paths.forwarding() && !couldForward()) {
            refuseKey("forwarding", "is true, but no host has more than one cable, so that it has no effect");
        }
        if (paths.spray() && (spec.transport().ackFrom() > 1 || spec.transport().backToChunk())) {
            refuseKey("spray", "is true, so every frame is acknowledged; remove ack_from and back_to_chunk");
        }
    }

    private Routes routesOn(PacketTopology topology) {
        return new Routes(
                topology,
                new Ports(topology),
                spec.transport().payload(),
                spec.paths().forwarding(),
                spec.asReference());
    }

    /** True if a host has cables to several nodes and could therefore forward frames. */
    private boolean couldForward() {
        int[] cables = new int[spec.topology().nodes()];
        for (Cable cable : spec.topology().cables()) {
            cables[cable.a()]++;
            cables[cable.b()]++;
        }
        boolean[] isSwitch = spec.topology().isSwitch();
        for (int host = 0; host < cables.length; host++) {
            if (!isSwitch[host] && cables[host] > 1) {
                return true;
            }
        }
        return false;
    }

    private void refuseKey(String key, String what) {
        problems.add(Problem.config(where + "." + key, what));
    }

    /** Reports options that the reference does not have. */
    private void additions() {
        String only = ", which the reference does not have; it works with compat=none only";
        if (spec.paths().spray()) {
            refuseKey("spray", "selects a path per frame" + only);
        }
        if (spec.paths().forwarding()) {
            refuseKey("forwarding", "makes hosts forward" + only);
        }
        if (!spec.paths().routes().isEmpty()) {
            refuseKey("routes", "sets explicit paths" + only);
        }
        if (spec.congestion().noticePeriodNs() > 0) {
            refuseKey("congestion.notice_period", "delays notifications" + only);
        }
        if (spec.congestion().noticeDelayNs() > 0) {
            refuseKey("congestion.notice_delay", "delays notifications" + only);
        }
    }

    private void routes() {
        Set<List<Integer>> pairs = new LinkedHashSet<>();
        for (List<Integer> route : spec.paths().routes()) {
            String wrong = wrong(route);
            if (!wrong.isEmpty()) {
                refuseKey("routes", "has " + route + ", but " + wrong);
            } else if (!pairs.add(List.of(route.get(0), route.get(route.size() - 1)))) {
                refuseKey("routes", "has two paths from host " + route.get(0) + " to " + route.get(route.size() - 1));
            }
        }
    }

    /** Describes the error of a route, or returns an empty string. */
    private String wrong(List<Integer> route) {
        PacketTopology topology = spec.topology();
        boolean[] isSwitch = topology.isSwitch();
        if (route.size() < 2) {
            return "expected a source, switches, and a destination";
        }
        for (int i = 0; i < route.size(); i++) {
            int node = route.get(i);
            if (node >= topology.nodes()) {
                return "there is no node " + node;
            }
            boolean isEnd = i == 0 || i == route.size() - 1;
            if (isEnd ? isSwitch[node] : !isSwitch[node] && !spec.paths().forwarding()) {
                return "node " + node
                        + (isEnd ? " at an end is a switch" : " in between is a host, which does not forward");
            }
            if (route.indexOf(node) != i) {
                return "node " + node + " is listed twice";
            }
            if (i > 0 && !areJoined(route.get(i - 1), node)) {
                return "no cable joins nodes " + route.get(i - 1) + " and " + node;
            }
        }
        return "";
    }

    private boolean areJoined(int a, int b) {
        return spec.topology().cables().stream()
                .anyMatch(cable -> (cable.a() == a && cable.b() == b) || (cable.a() == b && cable.b() == a));
    }

    private void rates() {
        boolean[] isSwitch = spec.topology().isSwitch();
        long[] rates = spec.topology().cables().stream()
                .filter(cable -> isSwitch[cable.a()] || isSwitch[cable.b()])
                .mapToLong(Cable::rate)
                .distinct()
                .sorted()
                .toArray();
        for (long rate : rates) {
            if (spec.switches().marking() && spec.switches().marksAt(rate).isEmpty()) {
                refuse("no thresholds for marks are given for links of " + rate
                        + " bit/s; give some, or turn marks off");
            }
        }
    }

    private void congestion(int npus) {
        Map<String, String> numbers = CongestionSpec.numbers();
        List<String> names = new ArrayList<>(numbers.keySet());
        String name = KeyRecord.kind(spec.congestion().getClass());
        names.remove(name);
        spec.congestion()
                .check(
                        spec,
                        () -> routesOn(spec.topology()).maxSwitches(npus),
                        what -> problems.add(Problem.config(
                                        where + ".congestion.kind",
                                        "is " + name + " (CC_MODE " + numbers.get(name) + "), " + what)
                                .options(names)));
    }
}
