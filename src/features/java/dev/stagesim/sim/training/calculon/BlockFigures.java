package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Layer.Pass;
import java.util.List;
import java.util.Locale;

/** Sums of the layers of a block for one micro-batch, under calculon's names. */
final class BlockFigures {
    private static final String[] BLOCKS = {"baseblock_", "edgeblock_"};
    private static final List<Pass> BACKWARD = List.of(Pass.AGRAD, Pass.WGRAD, Pass.OPTIM);

    private final Figures out = new Figures();
    private final Block.Setting setting;
    private double neededBandwidth;
    private double usefulFlops;

    private BlockFigures(Block.Setting setting) {
        this.setting = setting;
    }

    static Figures of(List<Layer> layers, Block.Setting setting, Application app) {
        BlockFigures sums = new BlockFigures(setting);
        sums.declare();
        layers.forEach(sums::add);
        return sums.finish(app);
    }

    private void declare() {
        for (String pass : new String[] {"fw", "re", "agrad", "wgrad", "optim"}) {
            for (String figure : new String[] {"flops", "flops_time", "mem_accessed", "mem_time", "time"}) {
                out.put("block_" + pass + "_" + figure, 0);
            }
        }
        for (String block : BLOCKS) {
            for (String figure : new String[] {"fw_tp", "agrad_tp", "recomm"}) {
                out.put(block + figure + "_time", 0);
                out.put(block + figure + "_time_exposed", 0);
            }
            out.put(block + "fw_tp_size", 0);
            out.put(block + "bw_tp_size", 0);
            out.put(block + "recomm_size", 0);
        }
        for (String space : new String[] {
            "weight", "act_working", "act_storage", "weight_grad", "act_grad", "optimizer",
        }) {
            out.put("block_" + space + "_space", 0);
        }
        out.put("block_weight_grad_space_no_sharding", 0);
    }

    private void add(Layer layer) {
        pass(layer, Pass.FW);
        comm(layer, Pass.FW, "fw_tp", "fw_tp_size");
        usefulFlops += layer.flops(Pass.FW);
        if (setting.execution().isTraining()) {
            again(layer);
            pass(layer, Pass.AGRAD);
            comm(layer, Pass.AGRAD, "agrad_tp", "bw_tp_size");
            pass(layer, Pass.WGRAD);
            pass(layer, Pass.OPTIM);
            usefulFlops += layer.flops(Pass.AGRAD) + layer.flops(Pass.WGRAD) + layer.flops(Pass.OPTIM);
        } else {
            // calculon logs the times of all passes, so that a curve which misses one rejects inference too.
            BACKWARD.forEach(layer::time);
        }
        space(layer);
    }

    private void pass(Layer layer, Pass pass) {
        String prefix = "block_" + pass.name().toLowerCase(Locale.ROOT) + "_";
        out.add(prefix + "flops", layer.flops(pass));
        out.add(prefix + "flops_time", layer.flopsTime(pass));
        out.add(prefix + "mem_accessed", layer.moved(pass));
        out.add(prefix + "mem_time", layer.memoryTime(pass));
        out.add(prefix + "time", layer.time(pass));
    }

    private void comm(Layer layer, Pass pass, String name, String size) {
        for (String block : BLOCKS) {
            boolean isBase = block.startsWith("base");
            out.add(block + size, layer.commBytes(pass, isBase));
            out.add(block + name + "_time", layer.netTime(pass, isBase));
            out.add(block + name + "_time_exposed", layer.exposed(pass, isBase));
            neededBandwidth = Math.max(neededBandwidth, layer.neededBandwidth(pass, isBase));
        }
    }

    /** What is done again. All but the time grows by the forward so far, not by the layer's own: calculon's accident. */
    private void again(Layer layer) {
        if (layer.flags.recompute()) {
            for (String figure : new String[] {"flops", "flops_time", "mem_accessed", "mem_time"}) {
                out.add("block_re_" + figure, out.get("block_fw_" + figure));
            }
            out.add("block_re_time", layer.time(Pass.FW));
        }
        if (layer.flags.recomm()) {
            for (String block : BLOCKS) {
                boolean isBase = block.startsWith("base");
                out.add(block + "recomm_size", layer.commBytes(Pass.WGRAD, isBase));
                out.add(block + "recomm_time", layer.netTime(Pass.WGRAD, isBase));
                out.add(block + "recomm_time_exposed", layer.exposedAgain(isBase));
            }
        }
    }

    private void space(Layer layer) {
        out.add("block_weight_space", layer.weightBytes());
        out.add("block_act_working_space", layer.flags.reuses() ? 0 : layer.activation());
        out.add("block_act_storage_space", layer.activation());
        if (setting.execution().isTraining()) {
            out.add("block_act_storage_space", layer.flags.storesOutput() ? 0 : -layer.outputBytes());
            out.add("block_act_storage_space", layer.flags.stores() ? 0 : -layer.activation());
            out.add("block_weight_grad_space", layer.weightGradient());
            out.add("block_weight_grad_space_no_sharding", layer.weightGradientUnsharded());
            out.add("block_act_grad_space", layer.activationGradient());
            out.add("block_optimizer_space", layer.optimizer());
        }
    }

    private Figures finish(Application app) {
        Execution exe = setting.execution();
        boolean isFull = exe.recompute() == Execution.Recompute.FULL;
        double act = (double) exe.microBatch() * app.sequence() * app.hidden() * setting.bytes();
        double part = (double) Math.floorDiv(exe.microBatch() * app.sequence(), exe.tensor())
                * app.hidden()
                * setting.bytes();
        out.put("block_act_checkpoint_size", exe.isTraining() && isFull ? act : 0);
        if (isFull) {
            out.put("block_act_storage_space", 0);
        }
        double transfer = exe.pipeline() == 1 ? 0 : exe.splitsTransfers() ? part : act;
        out.put("block_fw_pp_size", transfer);
        out.put("block_bw_pp_size", exe.isTraining() ? transfer : 0);
        out.put("tp_bw_overlap_req", neededBandwidth);
        out.put("useful_flops", usefulFlops);
        return out;
    }
}
