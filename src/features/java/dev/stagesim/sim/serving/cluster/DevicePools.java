package dev.stagesim.sim.serving.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The devices of ready nodes and who has them; every replica takes one. Without pools all replicas are of one kind. */
final class DevicePools {
    private static final class Node {
        private final String gpu;
        private int free;

        Node(String gpu, int free) {
            this.gpu = gpu;
            this.free = free;
        }
    }

    private final List<Node> nodes = new ArrayList<>();
    private final Map<BlisInstance, Node> places = new LinkedHashMap<>();

    DevicePools(List<BlisConfig.NodePool> pools) {
        for (BlisConfig.NodePool pool : pools) {
            for (int i = 0; i < pool.nodes(); i++) {
                nodes.add(new Node(pool.gpu(), pool.gpusPerNode()));
            }
        }
    }

    /** Whether a device of this kind is free; any kind when the name is empty. */
    boolean hasRoom(String gpu) {
        return find(gpu).isPresent();
    }

    void place(BlisInstance instance, String gpu) {
        if (nodes.isEmpty()) {
            places.put(instance, new Node("", 0));
        }
        find(gpu).ifPresent(node -> {
            node.free--;
            places.put(instance, node);
        });
    }

    void release(BlisInstance instance) {
        Node node = places.get(instance);
        if (node != null) {
            node.free++;
        }
    }

    /** Kind of device of each instance that was placed. */
    Map<BlisInstance, String> kinds() {
        Map<BlisInstance, String> kinds = new LinkedHashMap<>();
        places.forEach((instance, node) -> kinds.put(instance, node.gpu));
        return kinds;
    }

    private Optional<Node> find(String gpu) {
        return nodes.stream()
                .filter(node -> node.free > 0 && (gpu.isEmpty() || node.gpu.equals(gpu)))
                .findFirst();
    }
}
