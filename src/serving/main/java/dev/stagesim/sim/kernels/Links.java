package dev.stagesim.sim.kernels;

import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.LinkCard;

/**
 * Times of collectives between devices, in microseconds.
 *
 * <p>The communication library needs a minimum time, a time per step from device to device, a time to fill its channels
 * that grows with the square root of the transfer time, and the transfer time at the achieved link rate. An all-reduce
 * uses an engine's own kernel if that is faster.
 */
public final class Links {
    /** Maximum number of devices whose collectives have one step for each further device; more devices form trees. */
    private static final int MAX_RING_DEVICES = 8;

    /** Steps of an all-to-all of the communication library. Its parts are sent at the same time. */
    private static final double EXCHANGE_HOPS = 3;

    /** Multiprocessors that high-throughput kernels use by default to exchange tokens, and the copies of each. */
    private static final double EXCHANGE_MULTIPROCESSORS = 20;

    private static final double COPIED_BYTES_PER_US = 14.5e3;

    /** Copies of a token for each visited node, in addition to those for devices. */
    private static final double NODE_COPIES = 2;

    /** Maximum number of nodes with experts of one token, by the routing of DeepSeek. */
    private static final int MAX_VISITED_NODES = 4;

    /** Minimum times of high-throughput kernels relative to an all-to-all and to a transfer between nodes. */
    private static final double FORWARDED_MINIMUM = 2.5;

    private static final double FORWARDED_NODE = 3.3;

    private static final int DEFAULT_NODE_DEVICES = 8;
    private static final double KILO_PER_GIGA = 1e3;
    private static final double BITS = 8;

    private final HardwareCard hardware;
    private final LinkCard card;
    private final double minimumUs;

    public Links(HardwareCard hardware) {
        this(hardware, false);
    }

    /**
     * Links of an engine.
     *
     * @param isFast true if the engine has the faster all-reduce kernel
     */
    public Links(HardwareCard hardware, boolean isFast) {
        this.hardware = hardware;
        this.card = hardware.link();
        double usual = card.custom().allReduceUs();
        this.minimumUs = isFast ? card.custom().fastAllReduceUs().orElse(usual) : usual;
    }

    /** Devices connected without a network. */
    public int devicesPerNode() {
        return Math.max(DEFAULT_NODE_DEVICES, hardware.scaleup().scaleupDomain().orElse(1));
    }

    /** True if the card has a link between this many devices. */
    public boolean canLink(int devices) {
        return devices <= devicesPerNode() ? gbs(devices) > 0 : hasNetwork();
    }

    /** True if the card has a network. */
    public boolean hasNetwork() {
        return hardware.host().nicGbpsPerAccelTyp().orElse(0.0) > 0;
    }

    /** Link rate in GB/s between this many devices of a node, or 0 if the card has no such link. */
    private double gbs(int devices) {
        boolean scaleUp = hardware.scaleup().scaleupUniGbs() > 0
                && devices <= hardware.scaleup().scaleupDomain().orElse(Integer.MAX_VALUE);
        return scaleUp
                ? hardware.scaleup().scaleupUniGbs()
                : hardware.host().hostUniGbs().orElse(0.0);
    }

    private double networkBytesPerUs() {
        return hardware.host().nicGbpsPerAccelTyp().orElse(0.0) / BITS * KILO_PER_GIGA * card.networkShare();
    }

    private double bytesPerUs(int devices) {
        return gbs(devices) * KILO_PER_GIGA;
    }

    /** Steps from device to device around a ring; larger groups add the steps of a tree. */
    private static double hops(int devices) {
        return devices <= MAX_RING_DEVICES
                ? devices - 1
                : MAX_RING_DEVICES - 1 + Math.log(devices / (double) MAX_RING_DEVICES) / Math.log(2);
    }

    /** A collective of the communication library in which each device sends {@code bytes} over {@code span} devices. */
    private double library(double bytes, double hops, int span) {
        double transfer = bytes / bytesPerUs(span);
        LinkCard.RingCollectives ring = card.ring();
        return ring.ringUs() + ring.hopUs() * hops + ring.rampUs() * Math.sqrt(transfer) + transfer / ring.share();
    }

    private double libraryReduce(double bytes, int devices, int span) {
        return library(ring(devices) * bytes, 2 * hops(devices), span);
    }

    /** All-reduce of the communication library inside a node. */
    public double libraryAllReduce(double bytes, int devices) {
        return libraryReduce(bytes, devices, devices);
    }

    /** The fastest all-reduce of {@code bytes} inside a node. */
    private double reduce(double bytes, int devices, int span) {
        double sent = ring(devices) * bytes;
        double library = libraryReduce(bytes, devices, span);
        LinkCard.CustomAllReduce custom = card.custom();
        double minimum = minimumUs + custom.deviceUs() * (devices - 2);
        double oneShot = minimum + (devices - 1) * bytes / bytesPerUs(span) / custom.oneShotShare();
        double twoShots = minimum + custom.twoShotUs() + sent / bytesPerUs(span) / custom.twoShotShare();
        double micros = custom.oneShotShare() > 0 ? Math.min(library, oneShot) : library;
        return custom.twoShotShare() > 0 ? Math.min(micros, twoShots) : micros;
    }

    /** All-reduce of {@code bytes}; hierarchical if the devices span several nodes. */
    public double allReduce(double bytes, int devices) {
        return allReduce(bytes, row(devices));
    }

    double allReduce(double bytes, Group group) {
        double inside = group.inside() == 1 ? 0 : reduce(bytes, group.inside(), group.span());
        return inside + between(bytes, group);
    }

    /** All-gather with {@code bytes} per device afterwards, or a reduce-scatter of as many bytes. */
    public double allGather(double bytes, int devices) {
        return allGather(bytes, row(devices));
    }

    double allGather(double bytes, Group group) {
        int inside = group.inside();
        double within = inside == 1 ? 0 : library(ring(inside) / 2 * bytes, hops(inside), group.span());
        return within + between(bytes / 2, group);
    }

    /** Exchange of the parts of an all-reduce between nodes. */
    private double between(double bytes, Group group) {
        int nodes = (group.devices() + group.inside() - 1) / group.inside();
        return nodes == 1
                ? 0
                : card.nodeUs() * (nodes - 1) + ring(nodes) * bytes / group.inside() / networkBytesPerUs();
    }

    /** All-to-all of the communication library inside a node; {@code bytes} of each device, including its own part. */
    public double libraryAllToAll(double bytes, int devices) {
        return library(ring(devices) / 2 * bytes, EXCHANGE_HOPS, devices);
    }

    private Group row(int devices) {
        int inside = Math.min(devices, devicesPerNode());
        return new Group(devices, inside, inside);
    }

    /**
     * Communicating devices.
     *
     * @param devices all of them
     * @param inside devices in one node
     * @param span distance in the node from the first to the last of them
     */
    record Group(int devices, int inside, int span) {}

    /**
     * Creates a group of {@code rows} rows of {@code row} consecutive devices, with {@code stride} devices from one
     * row's start to the next. A row is at most {@code stride} long.
     */
    Group group(int row, int rows, int stride) {
        int node = devicesPerNode();
        int near = rows == 1 ? 1 : Math.max(1, Math.min(rows, node / stride));
        int inside = Math.min(row, node) * near;
        return new Group(row * rows, inside, Math.min(node, (near - 1) * stride + row));
    }

    /** True if the card has all links of a group. */
    boolean canLink(Group group) {
        return (group.inside() == 1 || gbs(group.span()) > 0) && (group.devices() == group.inside() || hasNetwork());
    }

    /** All-to-all of tokens to the devices of their experts; {@code bytes} leave each device. */
    public double allToAll(double bytes, int devices) {
        if (devices <= 1) {
            return 0;
        }
        double away = (devices - 1) / (double) devices;
        double rate = devices <= devicesPerNode() ? allToAllBytesPerUs(devices) : networkBytesPerUs();
        return card.allToAllUs() + bytes * away / rate;
    }

    /**
     * Placement of the experts of a layer.
     *
     * @param copies experts per token
     * @param parts groups of devices with different experts
     * @param devices all devices
     */
    public record Routing(int copies, int parts, int devices) {
        /** Expected number of {@code places} that contain at least one expert of a token, if all are equally likely. */
        double visited(double places) {
            return places <= 1 ? places : -places * Math.expm1(copies * Math.log1p(-1 / places));
        }
    }

    /**
     * Sends tokens to the devices of their experts, or the results back, with the faster kernels of DeepEP.
     *
     * @param bytes of a device's tokens, without repetition
     */
    public double exchange(double bytes, Routing routing) {
        return Math.min(direct(bytes, routing), forwarded(bytes, routing, EXCHANGE_MULTIPROCESSORS));
    }

    /** Low-latency kernels: each expert's copy of a token is sent to the device of the expert. */
    public double direct(double bytes, Routing routing) {
        int nodes = nodes(routing.devices());
        double sent = bytes * routing.copies();
        double inside = sent * (1 - 1.0 / routing.devices()) / nodes / allToAllBytesPerUs(routing.devices() / nodes);
        return card.allToAllUs()
                + (nodes == 1
                        ? inside
                        : card.nodeUs()
                                + Math.max(
                                        inside, sent * (1 - 1.0 / nodes) * card.networkShare() / networkBytesPerUs()));
    }

    /**
     * High-throughput kernels: a token is sent once to each node, and forwarded once to each device with its experts.
     *
     * @param multiprocessors that copy the tokens
     */
    public double forwarded(double bytes, Routing routing, double multiprocessors) {
        int nodes = nodes(routing.devices());
        int inside = routing.devices() / nodes;
        double visited = routing.visited(routing.parts());
        double visitedNodes = routing.visited(Math.min(nodes, MAX_VISITED_NODES));
        double copies = visited + (nodes > 1 ? NODE_COPIES * visitedNodes : 0);
        double copied = bytes * copies / (multiprocessors * COPIED_BYTES_PER_US);
        double near = inside == 1 ? 0 : bytes * visited * (1 - 1.0 / inside) / allToAllBytesPerUs(inside);
        double away = nodes == 1 ? 0 : bytes * visitedNodes * (1 - 1.0 / nodes) / networkBytesPerUs();
        double start =
                FORWARDED_MINIMUM * card.allToAllUs() + FORWARDED_NODE * card.nodeUs() * Math.log(nodes) / Math.log(2);
        return start + Math.max(copied, Math.max(near, away));
    }

    private int nodes(int devices) {
        int node = Math.min(devices, devicesPerNode());
        return (devices + node - 1) / node;
    }

    /** A transfer to the next device, in the same node or another one. */
    double send(double bytes, boolean sameNode) {
        if (!sameNode) {
            return card.nodeUs() + bytes / networkBytesPerUs();
        }
        LinkCard.RingCollectives ring = card.ring();
        boolean isDirect = card.custom().oneShotShare() > 0;
        double minimum = isDirect ? minimumUs : ring.ringUs() + ring.hopUs();
        return minimum + bytes / (bytesPerUs(2) * ring.share());
    }

    private double allToAllBytesPerUs(int devices) {
        return bytesPerUs(devices) * Math.min(card.allToAllShare(), card.ring().share());
    }

    /** Bytes that each device sends around a ring in an all-reduce, per byte of the operand. */
    private static double ring(int devices) {
        return 2.0 * (devices - 1) / devices;
    }
}
