package dev.stagesim.sim.serving.cluster;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Places copies of experts on devices as DeepSeek's expert-parallel load balancer (EPLB) does.
 *
 * <p>Groups of experts are packed to nodes, each node gives copies to its most loaded experts, and its devices are
 * packed with the copies. All sums and quotients are of single precision, and equal weights keep their order, so that a
 * placement is the same on every machine.
 */
public final class ExpertBalancer {
    /**
     * Assignment of the copies of one layer's experts to physical slots.
     *
     * @param logical expert of each physical slot
     * @param rank number of the copy in each physical slot among the copies of its expert, from 0
     * @param replicas copies of each expert
     */
    public record Placement(int[] logical, int[] rank, int[] replicas) {
        /**
         * Returns the physical slots of each expert in order of its copies.
         *
         * @param width entries of each row; a row with fewer copies ends with -1
         */
        public int[][] physical(int width) {
            int[][] slots = new int[replicas.length][width];
            for (int[] row : slots) {
                Arrays.fill(row, -1);
            }
            for (int slot = 0; slot < logical.length; slot++) {
                slots[logical[slot]][rank[slot]] = slot;
            }
            return slots;
        }

        /** Returns the load of each device if the copies of an expert share its load equally. */
        public double[] deviceLoads(double[] weight, int devices) {
            double[] loads = new double[devices];
            int slotsOfDevice = logical.length / devices;
            for (int slot = 0; slot < logical.length; slot++) {
                int expert = logical[slot];
                loads[slot / slotsOfDevice] += weight[expert] / replicas[expert];
            }
            return loads;
        }
    }

    private static final int LANES = 8;
    private static final int ROUND = 4;

    private record Packing(int[] pack, int[] place) {}

    private final int experts;
    private final int slots;
    private final int groups;
    private final int nodes;
    private final int devices;

    /**
     * A balancer for layers of one shape.
     *
     * @param experts logical experts of a layer
     * @param slots physical experts of a layer, at least {@code experts}
     * @param groups groups of experts that stay on one node. If they cannot be distributed evenly over the nodes, all
     *     experts form one group and all devices one node
     * @param nodes number of nodes
     * @param devices total number of devices
     * @throws IllegalArgumentException if the experts are not a multiple of the groups, the devices of the nodes, or
     *     the slots of the devices, or if there are fewer slots than experts
     */
    public ExpertBalancer(int experts, int slots, int groups, int nodes, int devices) {
        if (experts < 1 || groups < 1 || nodes < 1 || devices < 1) {
            throw new IllegalArgumentException("experts, groups, nodes and devices must be at least 1");
        }
        boolean isHierarchical = groups % nodes == 0;
        this.experts = experts;
        this.slots = slots;
        this.groups = isHierarchical ? groups : 1;
        this.nodes = isHierarchical ? nodes : 1;
        this.devices = devices;
        divides("experts", experts, "groups", this.groups);
        divides("devices", devices, "nodes", this.nodes);
        divides("physical experts", slots, "devices", devices);
        if (slots < experts) {
            throw new IllegalArgumentException(slots + " physical experts are fewer than the " + experts + " logical");
        }
    }

    private static void divides(String what, int count, String into, int parts) {
        if (count % parts != 0) {
            throw new IllegalArgumentException(
                    count + " " + what + " cannot be divided equally among " + parts + " " + into);
        }
    }

    /**
     * Places the experts of a layer.
     *
     * @param weight load of each logical expert
     */
    public Placement place(double[] weight) {
        if (weight.length != experts) {
            throw new IllegalArgumentException(weight.length + " weights for " + experts + " experts");
        }
        float[] load = new float[experts];
        for (int i = 0; i < experts; i++) {
            load[i] = (float) weight[i];
        }
        Placement placement = new Placement(new int[slots], new int[slots], new int[experts]);
        int[] order = expertsByNode(load);
        int expertsOfNode = experts / nodes;
        for (int node = 0; node < nodes; node++) {
            int from = node * expertsOfNode;
            placeNode(node, Arrays.copyOfRange(order, from, from + expertsOfNode), load, placement);
        }
        return placement;
    }

    /** Returns the logical experts in the order of their nodes. */
    private int[] expertsByNode(float[] load) {
        int groupSize = experts / groups;
        float[] groupLoad = new float[groups];
        for (int group = 0; group < groups; group++) {
            groupLoad[group] = sum(load, group * groupSize, groupSize);
        }
        Packing packing = pack(groupLoad, nodes);
        int[] order = new int[experts];
        for (int i = 0; i < experts; i++) {
            int group = i / groupSize;
            int at = packing.pack()[group] * (groups / nodes) + packing.place()[group];
            order[at * groupSize + i % groupSize] = i;
        }
        return order;
    }

    /**
     * Returns the sum of {@code size} loads, added in the order of PyTorch on a CPU with eight single-precision lanes.
     * Another order can have another rounding error. Each lane adds every eighth load; fewer than eight loads use one
     * lane. PyTorch adds 512 or more loads in further levels.
     */
    private static float sum(float[] load, int from, int size) {
        int lanes = size < LANES ? 1 : LANES;
        int rows = size / lanes;
        float sum = 0;
        for (int i = rows * lanes; i < size; i++) {
            sum += load[from + i];
        }
        for (int lane = 0; lane < lanes; lane++) {
            sum += laneSum(load, from + lane, lanes, rows);
        }
        return sum;
    }

    /**
     * Returns the sum of {@code rows} loads with a distance of {@code stride}. Four partial sums take the loads in
     * turn; the loads after the last complete round of four are added to the first sum.
     */
    private static float laneSum(float[] load, int from, int stride, int rows) {
        float[] sums = new float[ROUND];
        for (int row = 0; row < rows; row++) {
            boolean isWhole = row < rows / ROUND * ROUND;
            sums[isWhole ? row % ROUND : 0] += load[from + row * stride];
        }
        return sums[0] + sums[1] + sums[2] + sums[3];
    }

    private void placeNode(int node, int[] members, float[] load, Placement placement) {
        int copies = slots / nodes;
        int[] member = new int[copies];
        int[] rank = new int[copies];
        int[] count = replicate(members, load, member, rank);
        float[] copyLoad = new float[copies];
        for (int i = 0; i < copies; i++) {
            copyLoad[i] = load[members[member[i]]] / count[member[i]];
        }
        Packing packing = pack(copyLoad, devices / nodes);
        int slotsOfDevice = slots / devices;
        for (int i = 0; i < copies; i++) {
            int slot = node * copies + packing.pack()[i] * slotsOfDevice + packing.place()[i];
            placement.logical()[slot] = members[member[i]];
            placement.rank()[slot] = rank[i];
        }
        for (int i = 0; i < members.length; i++) {
            placement.replicas()[members[i]] = count[i];
        }
    }

    /** Gives each member one copy. Each further slot gets a copy of the member with the maximum load per copy. */
    private static int[] replicate(int[] members, float[] load, int[] member, int[] rank) {
        int[] count = new int[members.length];
        Arrays.fill(count, 1);
        for (int i = 0; i < member.length; i++) {
            if (i < members.length) {
                member[i] = i;
                continue;
            }
            int max = 0;
            for (int j = 1; j < members.length; j++) {
                if (load[members[j]] / count[j] > load[members[max]] / count[max]) {
                    max = j;
                }
            }
            member[i] = max;
            rank[i] = count[max]++;
        }
        return count;
    }

    /**
     * Divides items into packs with equally many items. Places the heaviest item first, each in the lightest pack with
     * space.
     */
    private static Packing pack(float[] weight, int packs) {
        int room = weight.length / packs;
        int[] pack = new int[weight.length];
        int[] place = new int[weight.length];
        if (room == 1) {
            Arrays.setAll(pack, i -> i);
            return new Packing(pack, place);
        }
        int[] heaviestFirst = IntStream.range(0, weight.length)
                .boxed()
                .sorted((a, b) -> Float.compare(weight[b], weight[a]))
                .mapToInt(Integer::intValue)
                .toArray();
        float[] sum = new float[packs];
        int[] items = new int[packs];
        for (int item : heaviestFirst) {
            int lightest = -1;
            for (int i = 0; i < packs; i++) {
                if (items[i] < room && (lightest < 0 || sum[i] < sum[lightest])) {
                    lightest = i;
                }
            }
            pack[item] = lightest;
            place[item] = items[lightest]++;
            sum[lightest] += weight[item];
        }
        return new Packing(pack, place);
    }
}
