package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Execution.Recompute;
import dev.stagesim.sim.training.calculon.Execution.TensorComm;
import dev.stagesim.sim.training.calculon.Execution.TensorOverlap;
import dev.stagesim.sim.training.calculon.Layer.Flags;
import dev.stagesim.sim.training.calculon.Layer.Kind;
import dev.stagesim.sim.training.calculon.Machine.NetworkOp;
import java.util.ArrayList;
import java.util.List;

/** The layers of one transformer block on one processor. */
final class Block {
    private final Setting setting;
    private final List<Layer> layers = new ArrayList<>();
    private final Flags full;
    private final Flags attention;
    private final boolean isFull;
    private final double norm;
    private final double act;
    private final long rows;

    /**
     * What every layer refers to.
     *
     * @param machine the system
     * @param bytes bytes of an element
     * @param shards shards of gradients and optimizer
     * @param matrix matrix engine
     * @param vector vector engine
     * @param tensorNetwork network of the tensor-parallel group
     */
    record Setting(
            Machine machine,
            Execution execution,
            double bytes,
            double shards,
            Machine.Engine matrix,
            Machine.Engine vector,
            Machine.Network tensorNetwork) {
        static Setting of(Machine machine, Execution execution) {
            String datatype = execution.datatype();
            return new Setting(
                    machine,
                    execution,
                    Machine.bytes(datatype),
                    execution.shardsOptimizer() ? execution.data() : 1,
                    Machine.engine(machine.matrix(), datatype),
                    Machine.engine(machine.vector(), datatype),
                    machine.network(execution.tensorNetwork()));
        }

        double compute(double flopsTime, double memoryTime) {
            return machine.isRoofline() ? Math.max(flopsTime, memoryTime) : flopsTime + memoryTime;
        }

        boolean splits(boolean isBase) {
            return execution.tensorComm() == TensorComm.RS_AG
                    || (execution.tensorComm() == TensorComm.P2P_RS_AG && !isBase);
        }

        double tensorTime(NetworkOp op, double bytes) {
            return tensorNetwork.time(op, bytes, execution.tensor());
        }
    }

    private Block(Setting setting, Application app) {
        this.setting = setting;
        Execution exe = setting.execution();
        long t = exe.tensor();
        rows = exe.microBatch() * app.sequence();
        Refusal.unless(!exe.splitsTransfers() || rows % t == 0, "batch and sequence split evenly over " + t);
        Refusal.unless(app.hidden() % t == 0, "hidden " + app.hidden() + " splits evenly over " + t);
        Refusal.unless(app.feedForward() % t == 0, "feedforward " + app.feedForward() + " splits evenly over " + t);
        Refusal.unless(app.heads() % t == 0, app.heads() + " attn_heads split evenly over " + t);
        isFull = exe.recompute() == Recompute.FULL;
        boolean isAttention = exe.recompute() != Recompute.NONE;
        full = Flags.NONE.recompute(isFull);
        attention = Flags.NONE.recompute(isAttention).outputStored(!isAttention);
        act = (double) rows * app.hidden();
        norm = exe.splitsSequence() ? (double) Math.floorDiv(rows, t) * app.hidden() : act;
        attention(app, isAttention || exe.redoesGather());
        feedForward(app, isFull || exe.redoesGather());
    }

    /** The layers, in order. */
    static List<Layer> layers(Setting setting, Application app) {
        return List.copyOf(new Block(setting, app).layers);
    }

    private boolean overlaps() {
        return setting.execution().tensorOverlap() != TensorOverlap.NONE;
    }

    private void entry(String part, long hidden) {
        layers.add(Layer.fork(part + "_Fork", norm, 2, full, setting));
        layers.add(
                Layer.norm(part + "_LayerNorm", norm, hidden, full.stored(false).reused(), setting));
    }

    private void exit(String part) {
        layers.add(Layer.pointwise(part + "_DropOut", Kind.DROPOUT, norm, 1, 1, true, full, setting));
        layers.add(Layer.residual(part + "_Residual", norm, full.stored(false).reused(), setting));
    }

    private void gather(String name, boolean again) {
        layers.add(new CommLayer(name, act, false, Flags.NONE.recomm(again), setting));
    }

    private void reduce(String name) {
        layers.add(new CommLayer(name, act, true, Flags.NONE.recomm(isFull).stored(false), setting));
    }

    private void attention(Application app, boolean gathersAgain) {
        long t = setting.execution().tensor();
        long width = app.heads() * app.headSize();
        boolean isMultiQuery = setting.execution().isMultiQuery();
        entry("AttnBlock", app.hidden());
        Flags shared = full.stored(false).reused();
        Flags forked = Flags.NONE.recompute(gathersAgain).stored(!gathersAgain);
        long other = isMultiQuery ? app.headSize() : width / t;
        if (!overlaps()) {
            gather("AttnBlock_F", gathersAgain);
            layers.add(Layer.fork("AttnBlock_Multihead_Fork", act, 3, forked, setting));
            layers.add(Layer.linear("AttnBlock_Query", rows, app.hidden(), width / t, shared, setting));
        } else {
            String name = isMultiQuery ? "AttnBlock_Query_AG" : "AttnBlock_QKV_AG";
            long out = isMultiQuery ? width : 3 * width;
            Flags again = full.recomm(gathersAgain);
            layers.add(new OverlappedLayer(name, rows, app.hidden(), out, false, again, setting));
            if (isMultiQuery) {
                layers.add(Layer.fork("AttnBlock_KV_Fork", act, 2, forked, setting));
            }
        }
        if (!overlaps() || isMultiQuery) {
            layers.add(Layer.linear("AttnBlock_Key", rows, app.hidden(), other, shared, setting));
            layers.add(Layer.linear("AttnBlock_Value", rows, app.hidden(), other, shared, setting));
        }
        core(app, width);
        if (!overlaps()) {
            layers.add(Layer.linear("AttnBlock_MLP", rows, width / t, app.hidden(), full, setting));
            reduce("AttnBlock_G");
        } else {
            Flags again = full.recomm(isFull);
            layers.add(new OverlappedLayer("AttnBlock_MLP_RS", rows, width, app.hidden(), true, again, setting));
        }
        exit("AttnBlock");
    }

    private void core(Application app, long width) {
        long t = setting.execution().tensor();
        long s = app.sequence();
        long batch = setting.execution().microBatch() * app.heads() / t;
        double scores = (double) Math.floorDiv(app.heads(), t)
                * s
                * s
                * setting.execution().microBatch();
        String prefix = "AttnBlock_Multihead_";
        layers.add(Layer.batched(prefix + "Key_Query", batch, s, app.headSize(), s, attention, setting));
        layers.add(Layer.pointwise(prefix + "SoftMax", Kind.POINTWISE, scores, 5, 8, true, attention, setting));
        Flags dropped = attention.outputStored(true).stored(!attention.recompute());
        layers.add(Layer.pointwise(prefix + "DropOut", Kind.DROPOUT, scores, 1, 1, true, dropped, setting));
        layers.add(Layer.batched(prefix + "Attn", batch, s, s, width / app.heads(), full, setting));
    }

    private void feedForward(Application app, boolean gathersAgain) {
        long t = setting.execution().tensor();
        long f = app.feedForward();
        entry("MlpBlock", app.hidden());
        if (!overlaps()) {
            gather("MlpBlock_F", gathersAgain);
            layers.add(Layer.linear("MlpBlock_Mlp1", rows, app.hidden(), f / t, full.stored(!gathersAgain), setting));
        } else {
            Flags again = full.recomm(gathersAgain);
            layers.add(new OverlappedLayer("MlpBlock_Mlp1_AG", rows, app.hidden(), f, false, again, setting));
        }
        boolean isKept = !setting.execution().isFused();
        double size = Math.floorDiv(f * rows, t);
        layers.add(Layer.pointwise("MlpBlock_GeLU", Kind.POINTWISE, size, 8, 13, isKept, full, setting));
        if (!overlaps()) {
            layers.add(Layer.linear("MlpBlock_Mlp2", rows, f / t, app.hidden(), full, setting));
            reduce("MlpBlock_G");
        } else {
            layers.add(
                    new OverlappedLayer("MlpBlock_Mlp2_RS", rows, f, app.hidden(), true, full.recomm(isFull), setting));
        }
        exit("MlpBlock");
    }

    /** A collective of the tensor-parallel group before (not conjugate) or after (conjugate) a product. */
    private static final class CommLayer extends Layer {
        private final boolean isConjugate;
        private final double size;

        CommLayer(String name, double size, boolean isConjugate, Flags flags, Block.Setting setting) {
            super(name, Kind.PLAIN, sizes(size, isConjugate, setting.execution().tensor()), flags, setting);
            this.isConjugate = isConjugate;
            this.size = size;
        }

        private static Sizes sizes(double size, boolean isConjugate, long peers) {
            if (peers == 1) {
                return new Sizes(0, 0, 0, 0, 0, 0, 0, 0);
            }
            double reduced = size * (peers - 1) / peers;
            return new Sizes(isConjugate ? reduced : 0, isConjugate ? 0 : reduced, 0, size, size, size, size, 0);
        }

        private boolean isSplit(boolean isBase) {
            return setting.splits(isBase);
        }

        private boolean splitsSequence() {
            return setting.execution().tensorComm() == TensorComm.RS_AG;
        }

        @Override
        double moved(Pass pass) {
            boolean isIdentity = !splitsSequence() && (isConjugate ? pass == Pass.AGRAD : pass == Pass.FW);
            return isIdentity ? 0 : super.moved(pass);
        }

        @Override
        double activation() {
            double all = sizes.kept() * setting.bytes();
            return splitsSequence() ? all / setting.execution().tensor() : isConjugate ? all : 0;
        }

        @Override
        double activationGradient() {
            double all = sizes.grads() * setting.bytes();
            return splitsSequence() ? all / setting.execution().tensor() : isConjugate ? 0 : all;
        }

        @Override
        double time(Pass pass) {
            return 0;
        }

        @Override
        double commBytes(Pass pass, boolean isBase) {
            boolean isSplit = isSplit(isBase);
            boolean isIdentity = !isSplit && (isConjugate ? pass == Pass.AGRAD : pass == Pass.FW);
            if (setting.execution().tensor() == 1 || isIdentity || pass == Pass.OPTIM) {
                return 0;
            }
            if (pass == Pass.WGRAD && !(flags.recomm() && (isSplit || isConjugate))) {
                return 0;
            }
            return size * setting.bytes();
        }

        @Override
        double netTime(Pass pass, boolean isBase) {
            if (setting.execution().tensor() == 1 || pass == Pass.OPTIM || (pass == Pass.WGRAD && !flags.recomm())) {
                return 0;
            }
            boolean isGradient = pass == Pass.AGRAD;
            double bytes = commBytes(pass, isBase);
            double net;
            if (isSplit(isBase)) {
                net = setting.tensorTime(
                        isConjugate == isGradient ? NetworkOp.ALL_GATHER : NetworkOp.REDUCE_SCATTER, bytes);
            } else {
                net = isConjugate == isGradient ? 0 : setting.tensorTime(NetworkOp.ALL_REDUCE, bytes);
            }
            return net + plainTime(pass);
        }

        @Override
        double exposed(Pass pass, boolean isBase) {
            return netTime(pass, isBase);
        }
    }
}
