package dev.stagesim.sim.kernels;

import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.LinkCard;

/**
 * Times of collectives between devices, in microseconds: a fixed time plus the volume of a ring at the achieved link
 * rate.
 */
public final class Links {
    private static final int DEFAULT_NODE_DEVICES = 8;
    private static final double KILO_PER_GIGA = 1e3;
    private static final double BITS = 8;

    private final HardwareCard hardware;
    private final LinkCard card;

    public Links(HardwareCard hardware) {
        this.hardware = hardware;
        this.card = hardware.link();
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
        return hardware.host().nicGbpsPerAccelTyp().orElse(0.0) / BITS * KILO_PER_GIGA * card.share();
    }

    /** Fixed time of an all-reduce. */
    private double fixedUs(int devices) {
        if (card.devices().isEmpty()) {
            return card.allReduceUs() + card.deviceUs() * (Math.min(devices, devicesPerNode()) - 2);
        }
        return between(devices, card.devicesUs());
    }

    private double bytesPerUs(int devices) {
        return bytesPerUs(devices, devices);
    }

    private double bytesPerUs(int devices, int span) {
        double reached = card.devices().isEmpty() ? gbs(span) * card.share() : between(devices, card.devicesGbs());
        return reached * KILO_PER_GIGA;
    }

    /** Linear interpolation between the measured numbers of devices, constant beyond them. */
    private double between(int devices, java.util.List<Double> values) {
        java.util.List<Integer> at = card.devices();
        for (int i = 0; i < at.size(); i++) {
            if (devices <= at.get(i)) {
                if (i == 0) {
                    return values.get(0);
                }
                double share = (devices - at.get(i - 1)) / (double) (at.get(i) - at.get(i - 1));
                return values.get(i - 1) + share * (values.get(i) - values.get(i - 1));
            }
        }
        return values.get(values.size() - 1);
    }

    /** All-reduce of {@code bytes}; hierarchical if the devices span several nodes. */
    public double allReduce(double bytes, int devices) {
        return inARow(bytes, devices, 1);
    }

    double allReduce(double bytes, Group group) {
        return exchange(bytes, group.devices(), group.inside(), group.span(), 1);
    }

    /** All-gather with {@code bytes} per device afterwards: half of an all-reduce. */
    double allGather(double bytes, int devices) {
        return inARow(bytes, devices, 0.5);
    }

    double allGather(double bytes, Group group) {
        return exchange(bytes, group.devices(), group.inside(), group.span(), 0.5);
    }

    private double inARow(double bytes, int devices, double share) {
        int inside = Math.min(devices, devicesPerNode());
        return exchange(bytes, devices, inside, inside, share);
    }

    private double exchange(double bytes, int devices, int inside, int span, double share) {
        double within = inside == 1 ? 0 : fixedUs(inside) + share * ring(inside) * bytes / bytesPerUs(inside, span);
        if (devices <= inside) {
            return within;
        }
        int nodes = (devices + inside - 1) / inside;
        return within + card.nodeUs() * (nodes - 1) + share * ring(nodes) * bytes / inside / networkBytesPerUs();
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
        double rate = devices <= devicesPerNode()
                ? Math.min(gbs(devices) * card.allToAllShare() * KILO_PER_GIGA, bytesPerUs(devices))
                : networkBytesPerUs();
        return card.allToAllUs() + bytes * away / rate;
    }

    /**
     * Dispatch of tokens to the devices of their experts as in DeepEP: once to each node, then forwarded inside the
     * node.
     *
     * @param bytes of a device's tokens, without repetition
     * @param visited devices per token, assuming a uniform distribution
     */
    public double spread(double bytes, double visited, int devices) {
        int node = Math.min(devices, devicesPerNode());
        int nodes = (devices + node - 1) / node;
        double rate = Math.min(gbs(node) * card.allToAllShare() * KILO_PER_GIGA, bytesPerUs(node));
        double inside = node == 1 ? 0 : bytes * visited * (node - 1) / node / rate;
        double away = nodes == 1 ? 0 : -(nodes - 1) * Math.expm1(visited * Math.log1p(-1.0 / nodes));
        return nodes == 1
                ? card.allToAllUs() + inside
                : card.allToAllUs() + card.nodeUs() + Math.max(inside, bytes * away / networkBytesPerUs());
    }

    /** A transfer to the next device, in the same node or another one. */
    double send(double bytes, boolean sameNode) {
        return sameNode ? fixedUs(2) + bytes / bytesPerUs(2) : card.nodeUs() + bytes / networkBytesPerUs();
    }

    private static double ring(int devices) {
        return 2.0 * (devices - 1) / devices;
    }
}
