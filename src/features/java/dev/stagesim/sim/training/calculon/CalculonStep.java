package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Execution.Recompute;
import dev.stagesim.sim.training.calculon.Machine.NetworkOp;
import java.util.List;
import java.util.Locale;

/** A step of an execution as calculon counts it. */
public final class CalculonStep {
    private static final String BASE = "baseblock_";
    private static final String EDGE = "edgeblock_";

    private final Machine machine;
    private final Execution exe;
    private final Block.Setting setting;
    private final Figures out;
    private final List<Layer> layers;
    private final long blocks;
    private final long missing;
    private final long chunkBlocks;
    private final long baseBlocks;
    private final Times times;

    /** Times of a block in forward and backward, with what offloading adds. */
    private record Times(
            double baseForward,
            double edgeForward,
            double baseBackward,
            double edgeBackward,
            double forwardTransfer,
            double backwardTransfer,
            double forwardWindow,
            double backwardWindow,
            double forwardOffload,
            double backwardOffload) {}

    /** The result: all figures and those of the layers, with the name of each. */
    public record Result(Figures figures, List<NamedLayer> layers) {
        public record NamedLayer(String name, Figures figures) {}
    }

    private CalculonStep(Application app, Machine machine, Execution exe) {
        this.machine = machine;
        this.exe = exe;
        exe.check();
        checkNetworks();
        Machine.bytes(exe.datatype());
        long whole = app.blocks() / exe.pipeline();
        long rest = app.blocks() % exe.pipeline();
        blocks = rest == 0 ? whole : whole + 1;
        missing = rest == 0 ? 0 : exe.pipeline() - rest;
        if (exe.interleaving() > blocks || blocks % exe.interleaving() != 0) {
            throw Refusal.infeasible("pipeline interleaving must divide the " + blocks + " blocks of a processor");
        }
        if ((exe.offloadsWeights() || exe.offloadsActivations() || exe.offloadsOptimizer()) && blocks <= 2) {
            throw Refusal.infeasible("offloading requires at least 3 blocks on each processor");
        }
        chunkBlocks = blocks / exe.interleaving();
        baseBlocks = chunkBlocks - 1;
        setting = Block.Setting.of(machine, exe);
        layers = Block.layers(setting, app);
        out = BlockFigures.of(layers, setting, app);
        times = times();
        batch();
        DataParallel.add(out, dataParallelInput(), exe, machine);
        CalculonMemory.add(out, exe, machine, blocks);
        totals();
    }

    /** Estimates a step. */
    public static Result run(Application app, Machine machine, Execution exe, boolean withLayers) {
        CalculonStep step = new CalculonStep(app, machine, exe);
        List<Result.NamedLayer> records = withLayers
                ? step.layers.stream()
                        .map(layer -> new Result.NamedLayer(layer.name, layer.figures()))
                        .toList()
                : List.of();
        return new Result(step.out, records);
    }

    private void checkNetworks() {
        int[] tiers = {exe.tensorNetwork(), exe.pipelineNetwork(), exe.dataNetwork()};
        long[] degrees = {exe.tensor(), exe.pipeline(), exe.data()};
        long[] sizes = new long[machine.networks().size()];
        for (int i = 0; i < tiers.length; i++) {
            machine.network(tiers[i]);
            if (degrees[i] > 1) {
                sizes[tiers[i]] = Math.max(1, sizes[tiers[i]]) * degrees[i];
            }
        }
        for (int tier = 0; tier < sizes.length; tier++) {
            Machine.Network network = machine.network(tier);
            if (sizes[tier] > network.size()) {
                throw Refusal.infeasible("network tier" + tier + " isn't big enough");
            }
            if (sizes[tier] > 0 && network.mustBeFilled() && network.size() % sizes[tier] != 0) {
                throw Refusal.infeasible("network tier" + tier + " isn't fully used");
            }
        }
    }

    private Times times() {
        Machine.Network network = machine.network(exe.pipelineNetwork());
        double forwardTransfer = network.time(NetworkOp.P2P, out.get("block_fw_pp_size"), 2);
        double backwardTransfer = network.time(NetworkOp.P2P, out.get("block_bw_pp_size"), 2);
        double forward = out.get("block_fw_time");
        double backward = out.get("block_re_time") + out.get("block_agrad_time") + out.get("block_wgrad_time");
        double baseForward = forward + out.get(BASE + "fw_tp_time_exposed");
        double edgeForward = forward + out.get(EDGE + "fw_tp_time_exposed") + forwardTransfer;
        double baseBackward = out.get("block_re_time")
                + out.get(BASE + "recomm_time_exposed")
                + out.get("block_agrad_time")
                + out.get("block_wgrad_time")
                + out.get(BASE + "agrad_tp_time_exposed");
        double edgeBackward = backward
                + out.get(EDGE + "recomm_time_exposed")
                + out.get(EDGE + "agrad_tp_time_exposed")
                + backwardTransfer;
        double forwardMemory = out.get("block_fw_mem_time");
        double backwardMemory = out.get("block_agrad_mem_time") + out.get("block_wgrad_mem_time");
        double forwardOffload = machine.farMemory().time(forwardOffloadBytes()) + forwardMemory;
        double backwardOffload =
                (exe.isTraining() ? machine.farMemory().time(backwardOffloadBytes()) : 0) + backwardMemory;
        double baseForwardExcess = Math.max(0, forwardOffload - baseForward);
        double edgeForwardExcess = Math.max(0, forwardOffload - edgeForward);
        double baseBackwardExcess = Math.max(0, backwardOffload - baseBackward);
        double edgeBackwardExcess = Math.max(0, backwardOffload - edgeBackward);
        double chunks = (double) exe.microBatches() * exe.interleaving();
        return new Times(
                baseForward + baseForwardExcess,
                edgeForward + edgeForwardExcess,
                baseBackward + baseBackwardExcess,
                edgeBackward + edgeBackwardExcess,
                forwardTransfer,
                backwardTransfer,
                Math.min(baseForward - forwardMemory, edgeForward - forwardMemory),
                Math.min(baseBackward - backwardMemory, edgeBackward - backwardMemory),
                chunks * (baseBlocks * baseForwardExcess + edgeForwardExcess),
                exe.isTraining() ? chunks * (baseBlocks * baseBackwardExcess + edgeBackwardExcess) : 0);
    }

    private double keptBytes() {
        return exe.recompute() == Recompute.FULL
                ? out.get("block_act_checkpoint_size")
                : out.get("block_act_storage_space");
    }

    private double forwardOffloadBytes() {
        double weights = exe.offloadsWeights() ? out.get("block_weight_space") : 0;
        return Math.max(weights, exe.offloadsActivations() ? keptBytes() : 0);
    }

    private double backwardOffloadBytes() {
        if (!exe.isTraining()) {
            return 0;
        }
        return (exe.offloadsWeights() ? out.get("block_weight_space") : 0)
                + (exe.offloadsActivations() ? keptBytes() : 0)
                + (exe.offloadsOptimizer() ? out.get("block_optimizer_space") : 0);
    }

    private double perChunks(String base, String edge) {
        return exe.microBatches() * (exe.interleaving() * (baseBlocks * out.get(base) + out.get(edge)));
    }

    private void batch() {
        double mult = (double) blocks * exe.microBatches();
        out.put("fw_time", mult * out.get("block_fw_time"));
        out.put("bw_time", mult * out.get("block_agrad_time") + mult * out.get("block_wgrad_time"));
        out.put("optim_step_time", blocks * out.get("block_optim_time"));
        out.put("recompute_time", mult * out.get("block_re_time"));
        for (String end : new String[] {"", "_exposed"}) {
            String kind = end.isEmpty() ? "link" : "exposed";
            double tensor = perChunks(BASE + "fw_tp_time" + end, EDGE + "fw_tp_time" + end)
                    + perChunks(BASE + "agrad_tp_time" + end, EDGE + "agrad_tp_time" + end);
            out.put("tp_comm_" + kind + "_time", tensor);
            double again = perChunks(BASE + "recomm_time" + end, EDGE + "recomm_time" + end);
            out.put("recomm_" + kind + "_time", exe.isTraining() ? again : 0);
        }
        double sends = exe.pipeline() > 1 ? (double) exe.microBatches() * exe.interleaving() : 0;
        double transfers = sends * times.forwardTransfer() + (exe.isTraining() ? sends : 0) * times.backwardTransfer();
        out.put("pp_comm_link_time", transfers);
        out.put("pp_comm_exposed_time", transfers);
        out.put("fw_offload_exposed_time", times.forwardOffload());
        out.put("bw_offload_exposed_time", times.backwardOffload());
        out.put("bubble_time", bubble());
    }

    private double chunkForward() {
        return baseBlocks * times.baseForward() + times.edgeForward();
    }

    private double chunkBackward() {
        return baseBlocks * times.baseBackward() + times.edgeBackward();
    }

    private double bubble() {
        double chunk = chunkForward() + chunkBackward();
        double shortened = baseBlocks > 0
                ? missing
                        * (times.baseForward() + times.edgeForward() + times.baseBackward() + times.edgeBackward())
                        / 2
                : missing * (times.edgeForward() + times.edgeBackward());
        long odd = exe.microBatches() % exe.pipeline();
        long extra = odd == 0 ? 0 : (exe.interleaving() - 1) * (exe.pipeline() - odd);
        return (exe.pipeline() - 1) * chunk + (extra * chunk - shortened);
    }

    private DataParallel.Input dataParallelInput() {
        return new DataParallel.Input(
                blocks,
                chunkBlocks,
                times.baseBackward(),
                times.edgeBackward(),
                chunkBackward(),
                times.backwardTransfer());
    }

    private void totals() {
        double bytes = out.get("block_weight_grad_space") + out.get("block_optimizer_space");
        out.put("act_offload_bw_req", divided(keptBytes(), times.forwardWindow()));
        out.put("weight_offload_bw_req", divided(out.get("block_weight_space"), times.forwardWindow()));
        out.put("optim_offload_bw_req", exe.isTraining() ? divided(bytes, times.backwardWindow()) : 0);
        double needed = divided(forwardOffloadBytes(), times.forwardWindow());
        out.put(
                "offload_mem_bw_req",
                exe.isTraining() ? Math.max(needed, divided(backwardOffloadBytes(), times.backwardWindow())) : needed);
        double computing = out.get("fw_time") + out.get("bw_time") + out.get("optim_step_time");
        double total = computing
                + out.get("fw_offload_exposed_time")
                + out.get("bw_offload_exposed_time")
                + out.get("recompute_time")
                + out.get("recomm_exposed_time")
                + out.get("bubble_time")
                + out.get("tp_comm_exposed_time")
                + out.get("pp_comm_exposed_time")
                + out.get("dp_comm_exposed_time");
        double perfect = (double) blocks
                * exe.microBatches()
                * out.get("useful_flops")
                / setting.matrix().peak();
        out.put("total_time", total);
        out.put("compute_efficiency", divided(perfect, computing));
        out.put("system_efficiency", divided(computing, total));
        out.put("total_efficiency", divided(perfect, total));
        out.put("sample_rate", divided(exe.batch(), total));
    }

    /** A quotient; calculon dies of a division by zero, and so does its search. */
    private static double divided(double value, double by) {
        Refusal.unless(by != 0, "a division by zero: all of a pass is memory time");
        return value / by;
    }

    /** Memory that a step needs in both tiers. */
    private static final class CalculonMemory {
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
            out.put(
                    "act_space",
                    keeps ? working + out.get("block_act_storage_space") * (blocks * factor - 1) : working);
            out.put(
                    "act_checkpoint_size",
                    isTraining && isFull ? blocks * out.get("block_act_checkpoint_size") * factor : 0);
            out.put("act_grad_space", isTraining ? out.get("block_act_grad_space") : 0);
            out.put(
                    "weight_grad_space",
                    isTraining ? unsharded + out.get("block_weight_grad_space") * (blocks - 1) : 0);
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
                    isTraining
                            ? out.get("block_weight_grad_space_no_sharding") + out.get("block_weight_grad_space")
                            : 0);
            put(out, "optimizer_space", isTraining ? 2 * out.get("block_optimizer_space") : 0);
        }

        private static void put(Figures out, String space, double value) {
            out.put(space + "_with_offload", value);
        }

        private static void check(int tier, double needed, double capacity) {
            if (needed > capacity) {
                throw Refusal.infeasible(String.format(
                        Locale.ROOT,
                        "mem tier%d needs %.3f GiB but only has %.3f GiB",
                        tier,
                        gib(needed),
                        gib(capacity)));
            }
        }

        private static double gib(double bytes) {
            return bytes / (1L << 30);
        }
    }
}
