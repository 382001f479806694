package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Execution.TensorComm;
import dev.stagesim.sim.training.calculon.Execution.TensorOverlap;
import dev.stagesim.sim.training.calculon.Machine.NetworkOp;

/** A product in tiles that overlap with its collective: gathered before, or reduced after when conjugate. */
final class OverlappedLayer extends Layer {
    private final boolean isConjugate;
    private final long tiles;

    OverlappedLayer(
            String name, long rows, long in, long out, boolean isConjugate, Flags flags, Block.Setting setting) {
        super(name, Kind.PRODUCT, sizes(rows, in, out, isConjugate, setting.execution()), flags, setting);
        this.isConjugate = isConjugate;
        this.tiles = setting.execution().tensor();
    }

    private static Sizes sizes(long rows, long in, long out, boolean isConjugate, Execution execution) {
        long peers = execution.tensor();
        Refusal.unless((isConjugate ? in : out) % peers == 0, "a product is split evenly over the tensor parallelism");
        long inner = isConjugate ? in / peers : in;
        long outer = isConjugate ? out : out / peers;
        double kept;
        double grads;
        if (execution.tensorComm() == TensorComm.RS_AG) {
            kept = isConjugate ? (double) rows * inner : Math.floorDiv(rows * inner, peers);
            grads = isConjugate ? 2.0 * Math.floorDiv(rows * outer, peers) : (double) rows * outer;
        } else {
            kept = isConjugate ? 0 : (double) rows * inner;
            grads = isConjugate ? 2.0 * rows * outer : 0;
        }
        double flops = 2.0 * rows * inner * outer;
        return new Sizes(
                flops, flops, flops, (double) rows * inner, (double) rows * outer, kept, grads, (double) inner * outer);
    }

    @Override
    double commBytes(Pass pass, boolean isBase) {
        if (setting.execution().tensor() == 1) {
            return 0;
        }
        double in = sizes.in() * setting.bytes();
        double out = sizes.out() * setting.bytes();
        boolean isSplit = setting.splits(isBase);
        return switch (pass) {
            case FW -> isConjugate ? out : isSplit ? in : 0;
            case AGRAD -> isConjugate ? isSplit ? out : 0 : in;
            case WGRAD -> flags.recomm() ? commBytes(Pass.FW, isBase) : 0;
            case OPTIM -> 0;
        };
    }

    @Override
    double commTile(Pass pass, boolean isBase) {
        return commBytes(pass, isBase) / tiles;
    }

    @Override
    double netTime(Pass pass, boolean isBase) {
        if (setting.execution().tensor() == 1 || pass == Pass.OPTIM || (pass == Pass.WGRAD && !flags.recomm())) {
            return 0;
        }
        boolean isGradient = pass == Pass.AGRAD;
        boolean isReduction = isConjugate != isGradient;
        boolean isSplit = setting.splits(isBase);
        if (!isReduction && !isSplit) {
            return 0;
        }
        double bytes = commBytes(pass, isBase);
        NetworkOp op = !isSplit ? NetworkOp.ALL_REDUCE : isReduction ? NetworkOp.REDUCE_SCATTER : NetworkOp.ALL_GATHER;
        double time = setting.tensorTime(op, bytes);
        if (isReduction && pass != Pass.WGRAD) {
            double flops = bytes / setting.bytes() * (tiles - 1) / tiles;
            time += flops / setting.vector().throughput(flops);
        }
        return time;
    }

    /** Time and exposed communication of a pass; the base block's network time counts. */
    private double[] overlap(Pass pass) {
        double flopsTime = flopsTime(pass);
        double memoryTime = memoryTime(pass);
        double compute = setting.compute(flopsTime, memoryTime);
        double net = netTime(pass, true);
        if (net == 0) {
            return new double[] {compute, 0};
        }
        double usage = setting.tensorNetwork().processorUsage();
        double slowedFlops = flopsTime / (1 - usage);
        double slowed = setting.compute(slowedFlops, memoryTime);
        double excess = net / tiles - slowedFlops / tiles;
        double time;
        double exposed = 0;
        if (excess > 0) {
            time = compute / tiles + (tiles - 1) * (slowed / tiles);
            exposed = (tiles - 1) * excess;
        } else {
            time = compute / tiles + (tiles - 1) * (compute / tiles) + (tiles - 1) * (net / tiles) * usage;
        }
        double tail = setting.execution().tensorOverlap() == TensorOverlap.PIPE ? net / tiles : 0;
        return new double[] {time + tail, exposed + tail};
    }

    @Override
    double time(Pass pass) {
        return overlap(pass)[0];
    }

    @Override
    double exposed(Pass pass, boolean isBase) {
        return overlap(pass)[1];
    }

    @Override
    double exposedAgain(boolean isBase) {
        return exposed(Pass.FW, isBase);
    }

    @Override
    double neededBandwidth(Pass pass, boolean isBase) {
        double slowed = flopsTime(pass) / (1 - setting.tensorNetwork().processorUsage());
        return commTile(pass, isBase) / (slowed / tiles);
    }
}
