package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Execution.Recompute;
import java.util.Locale;

/** Memory that a step needs in both tiers. */
final class CalculonMemory {
    private static final String[] SPACES = {
        "weight_space", "act_space", "act_checkpoint_size", "act_grad_space", "weight_grad_space", "optimizer_space"
    };

    private CalculonMemory() {}

    /** Adds the figures, or refuses when a tier is too small. */
    static void add(Figures out, Execution exe, Machine machine, long blocks) {
        full(out, exe, blocks);
        least(out, exe);
        double near = 0;
        double far = 0;
        boolean[] moved = {
            exe.offloadsWeights(),
            exe.offloadsActivations(),
            exe.offloadsActivations(),
            false,
            exe.offloadsOptimizer(),
            exe.offloadsOptimizer()
        };
        for (int i = 0; i < SPACES.length; i++) {
            double all = out.get(SPACES[i]);
            double least = out.get(SPACES[i] + "_with_offload");
            near += moved[i] ? Double.isNaN(least) ? 0 : least : all;
            far += moved[i] ? far(out, exe, SPACES[i], blocks) : 0;
        }
        out.put("proc_mem_tier1_cap_req", near);
        out.put("proc_mem_tier2_cap_req", far);
        check(1, near, machine.memory().capacity());
        check(2, far, machine.farMemory().capacity());
    }

    /** What the second tier holds: sharded gradients, and no working space where all is computed again. */
    private static double far(Figures out, Execution exe, String space, long blocks) {
        return switch (space) {
            case "weight_grad_space" -> out.get("block_weight_grad_space") * blocks;
            case "act_space" -> exe.recompute() == Recompute.FULL ? 0 : out.get(space);
            default -> out.get(space);
        };
    }

    private static void full(Figures out, Execution exe, long blocks) {
        boolean isTraining = exe.isTraining();
        double working = out.get("block_act_working_space");
        double factor = Math.min(exe.microBatches(), exe.pipeline());
        if (exe.interleaving() > 1) {
            factor *= 1 + (double) (exe.pipeline() - 1) / (exe.interleaving() * exe.pipeline());
        }
        boolean isFull = exe.recompute() == Recompute.FULL;
        boolean keeps = isTraining && !isFull;
        double unsharded = out.get("block_weight_grad_space_no_sharding");
        out.put("weight_space", out.get("block_weight_space") * blocks);
        out.put("act_space", keeps ? working + out.get("block_act_storage_space") * (blocks * factor - 1) : working);
        out.put(
                "act_checkpoint_size",
                isTraining && isFull ? blocks * out.get("block_act_checkpoint_size") * factor : 0);
        out.put("act_grad_space", isTraining ? out.get("block_act_grad_space") : 0);
        out.put("weight_grad_space", isTraining ? unsharded + out.get("block_weight_grad_space") * (blocks - 1) : 0);
        out.put("optimizer_space", isTraining ? out.get("block_optimizer_space") * blocks : 0);
    }

    private static void least(Figures out, Execution exe) {
        boolean isTraining = exe.isTraining();
        boolean isFull = exe.recompute() == Recompute.FULL;
        double working = out.get("block_act_working_space");
        double checkpoint = isFull ? 2 * out.get("block_act_checkpoint_size") : 0;
        put(out, "weight_space", 2 * out.get("block_weight_space"));
        put(out, "act_space", isFull ? working : working + out.get("block_act_storage_space"));
        put(out, "act_checkpoint_size", isTraining ? checkpoint : Double.NaN);
        put(out, "act_grad_space", out.get("act_grad_space"));
        put(
                out,
                "weight_grad_space",
                isTraining ? out.get("block_weight_grad_space_no_sharding") + out.get("block_weight_grad_space") : 0);
        put(out, "optimizer_space", isTraining ? 2 * out.get("block_optimizer_space") : 0);
    }

    private static void put(Figures out, String space, double value) {
        out.put(space + "_with_offload", value);
    }

    private static void check(int tier, double needed, double capacity) {
        if (needed > capacity) {
            throw Refusal.infeasible(String.format(
                    Locale.ROOT, "mem tier%d needs %.3f GiB but only has %.3f GiB", tier, gib(needed), gib(capacity)));
        }
    }

    private static double gib(double bytes) {
        return bytes / (1L << 30);
    }
}
