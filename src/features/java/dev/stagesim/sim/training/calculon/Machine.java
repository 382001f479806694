package dev.stagesim.sim.training.calculon;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A system of calculon: two engines, two memories and networks.
 *
 * @param matrix matrix engine by datatype
 * @param vector vector engine by datatype
 * @param memory near memory
 * @param farMemory memory for offloading; no capacity when there is none
 * @param isRoofline compute and memory overlap, else they add
 * @param networks networks, nearest first
 */
public record Machine(
        Map<String, Engine> matrix,
        Map<String, Engine> vector,
        Memory memory,
        Memory farMemory,
        boolean isRoofline,
        List<Network> networks) {
    public Machine {
        matrix = Collections.unmodifiableMap(new LinkedHashMap<>(matrix));
        vector = Collections.unmodifiableMap(new LinkedHashMap<>(vector));
        networks = List.copyOf(networks);
    }

    /**
     * A share that depends on the size of an operation: that of the first limit that is not above it.
     *
     * @param limits falling limits
     * @param shares of each limit
     */
    public record Curve(double[] limits, double[] shares) {
        double of(double size) {
            for (int i = 0; i < limits.length; i++) {
                if (size >= limits[i]) {
                    return shares[i];
                }
            }
            throw Refusal.rejected("no efficiency for an operation of " + size);
        }
    }

    /**
     * An engine.
     *
     * @param peak FLOP/s
     * @param efficiency by FLOPs
     */
    public record Engine(double peak, Curve efficiency) {
        public Engine {
            double[] limits = efficiency.limits();
            for (int i = 1; i < limits.length; i++) {
                // calculon takes a limit of 0 for none before it, and looks no further.
                Refusal.unless(limits[i - 1] == 0 || limits[i] < limits[i - 1], "limits of an engine fall");
            }
        }

        double throughput(double flops) {
            return peak * efficiency.of(flops);
        }
    }

    /**
     * A memory.
     *
     * @param capacity bytes
     * @param bandwidth bytes/s
     * @param efficiency by bytes
     */
    public record Memory(double capacity, double bandwidth, Curve efficiency) {
        double time(double bytes) {
            double throughput = bandwidth * efficiency.of(bytes);
            Refusal.unless(throughput > 0, "a memory without bandwidth");
            return bytes / throughput;
        }
    }

    /** Operations of a network. */
    public enum NetworkOp {
        P2P,
        REDUCE_SCATTER,
        ALL_GATHER,
        ALL_REDUCE
    }

    /**
     * A network.
     *
     * @param bandwidth bytes/s
     * @param efficiency share of the bandwidth
     * @param size processors it connects
     * @param latency seconds of an operation
     * @param scalars factor on the bytes of each operation
     * @param offsets times the share of a peer, added to the bytes
     * @param mustBeFilled whether degrees on it must divide its size
     * @param processorUsage share of a processor that communication takes
     */
    public record Network(
            double bandwidth,
            double efficiency,
            long size,
            double latency,
            double[] scalars,
            double[] offsets,
            boolean mustBeFilled,
            double processorUsage) {
        public Network {
            Refusal.unless(bandwidth > 0, "the bandwidth of a network is above 0");
            Refusal.unless(efficiency > 0 && efficiency <= 1, "the efficiency of a network is above 0, at most 1");
            Refusal.unless(size >= 0, "the size of a network is at least 0");
            Refusal.unless(processorUsage >= 0 && processorUsage < 1, "processor_usage is at least 0, below 1");
            for (double scalar : scalars) {
                Refusal.unless(scalar > 0, "the scalar of a network operation is above 0");
            }
        }

        double time(NetworkOp op, double bytes, double peers) {
            double scaled = bytes * scalars[op.ordinal()];
            double moved = scaled + 1 / peers * scaled * offsets[op.ordinal()];
            return latency + moved / (bandwidth * efficiency);
        }

        double scalar(NetworkOp op) {
            return scalars[op.ordinal()];
        }
    }

    static Engine engine(Map<String, Engine> engines, String datatype) {
        Engine engine = engines.get(datatype);
        if (engine == null) {
            throw Refusal.rejected("no engine for datatype " + datatype);
        }
        return engine;
    }

    Network network(int tier) {
        Refusal.unless(tier >= 0 && tier < networks.size(), "bad network tier " + tier);
        return networks.get(tier);
    }

    static double bytes(String datatype) {
        return switch (datatype) {
            case "float8" -> 1;
            case "float16", "bfloat16" -> 2;
            case "float32" -> 4;
            default -> throw Refusal.rejected("unsupported datatype " + datatype);
        };
    }
}
