package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Execution.TensorComm;
import dev.stagesim.sim.training.calculon.Machine.NetworkOp;

/** A collective of the tensor-parallel group before (not conjugate) or after (conjugate) a product. */
final class CommLayer extends Layer {
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
