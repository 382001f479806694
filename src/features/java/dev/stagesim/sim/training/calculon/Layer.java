package dev.stagesim.sim.training.calculon;

/** A layer of a block: what its passes compute, move and keep. */
class Layer {
    /** Passes over a layer. */
    enum Pass {
        FW,
        AGRAD,
        WGRAD,
        OPTIM
    }

    /** How a layer departs from counting inputs, outputs and weights. */
    enum Kind {
        /** Counts them all. */
        PLAIN,
        /** A product, run by the matrix engine. */
        PRODUCT,
        /** Its gradient moves as much as its forward. */
        POINTWISE,
        /** Keeps a mask of one byte an element. */
        DROPOUT,
        /** Copies nothing forward, adds gradients backward. */
        FORK
    }

    /** What a layer does in backward besides its gradients. */
    record Flags(boolean recompute, boolean recomm, boolean reuses, boolean stores, boolean storesOutput) {
        static final Flags NONE = new Flags(false, false, false, true, true);

        Flags recompute(boolean on) {
            return new Flags(on, recomm, reuses, stores, storesOutput);
        }

        Flags recomm(boolean on) {
            return new Flags(recompute, on, reuses, stores, storesOutput);
        }

        Flags reused() {
            return new Flags(recompute, recomm, true, stores, storesOutput);
        }

        Flags stored(boolean on) {
            return new Flags(recompute, recomm, reuses, on, storesOutput);
        }

        Flags outputStored(boolean on) {
            return new Flags(recompute, recomm, reuses, stores, on);
        }
    }

    /**
     * Sizes of a layer in operations and elements.
     *
     * @param fw forward FLOPs
     * @param agrad FLOPs of the gradient of the input
     * @param wgrad FLOPs of the gradient of the weights
     * @param in input elements
     * @param out output elements
     * @param kept input elements kept for backward
     * @param grads elements of the gradient of the output
     * @param weights weight elements
     */
    record Sizes(
            double fw, double agrad, double wgrad, double in, double out, double kept, double grads, double weights) {}

    final String name;
    final Kind kind;
    final Sizes sizes;
    final Flags flags;
    final Block.Setting setting;

    Layer(String name, Kind kind, Sizes sizes, Flags flags, Block.Setting setting) {
        this.name = name;
        this.kind = kind;
        this.sizes = sizes;
        this.flags = flags;
        this.setting = setting;
    }

    static Layer linear(String name, long rows, long in, long out, Flags flags, Block.Setting setting) {
        double flops = 2.0 * rows * in * out;
        double read = (double) rows * in;
        double written = (double) rows * out;
        Sizes sizes = new Sizes(flops, flops, flops, read, written, read, written, (double) in * out);
        return new Layer(name, Kind.PRODUCT, sizes, flags, setting);
    }

    static Layer batched(
            String name, long batch, long rows, long inner, long columns, Flags flags, Block.Setting setting) {
        double flops = 2.0 * batch * rows * inner * columns;
        double read = (double) batch * (rows * inner + inner * columns);
        double written = (double) batch * rows * columns;
        return new Layer(
                name, Kind.PRODUCT, new Sizes(flops, 2 * flops, 0, read, written, read, written, 0), flags, setting);
    }

    static Layer norm(String name, double size, long hidden, Flags flags, Block.Setting setting) {
        Sizes sizes = new Sizes(9 * size, 14 * size, 7 * size, size, size, size, size, 2.0 * hidden);
        return new Layer(name, Kind.PLAIN, sizes, flags, setting);
    }

    static Layer pointwise(
            String name,
            Kind kind,
            double size,
            int fw,
            int agrad,
            boolean isKept,
            Flags flags,
            Block.Setting setting) {
        double kept = isKept ? size : 0;
        return new Layer(name, kind, new Sizes(fw * size, agrad * size, 0, size, size, kept, kept, 0), flags, setting);
    }

    static Layer residual(String name, double size, Flags flags, Block.Setting setting) {
        return new Layer(
                name, Kind.PLAIN, new Sizes(size, 2 * size, 0, 2 * size, size, 2 * size, size, 0), flags, setting);
    }

    static Layer fork(String name, double size, int users, Flags flags, Block.Setting setting) {
        return new Layer(name, Kind.FORK, new Sizes(0, users * size, 0, size, 0, size, 0, 0), flags, setting);
    }

    double flops(Pass pass) {
        return switch (pass) {
            case FW -> sizes.fw;
            case AGRAD -> sizes.agrad;
            case WGRAD -> sizes.wgrad;
            case OPTIM -> sizes.weights / setting.shards() * 11;
        };
    }

    /** Bytes read and written. */
    double moved(Pass pass) {
        double y = setting.bytes();
        return switch (pass) {
            case FW ->
                switch (kind) {
                    case FORK -> 0;
                    case DROPOUT -> (sizes.in + sizes.out) * y + sizes.kept;
                    default -> (sizes.in + sizes.out + sizes.weights) * y;
                };
            case AGRAD ->
                switch (kind) {
                    case FORK -> sizes.agrad * y + sizes.kept * y;
                    case DROPOUT, POINTWISE -> moved(Pass.FW);
                    default -> (sizes.weights + sizes.kept + sizes.grads) * y;
                };
            case WGRAD -> sizes.weights == 0 ? 0 : (sizes.weights + sizes.kept + sizes.grads) * y;
            case OPTIM -> optimizer();
        };
    }

    double intensity(Pass pass) {
        double flops = flops(pass);
        return flops == 0 ? 0 : moved(pass) == 0 ? Double.POSITIVE_INFINITY : flops / moved(pass);
    }

    double flopsTime(Pass pass) {
        double flops = flops(pass);
        Machine.Engine engine = kind == Kind.PRODUCT && pass != Pass.OPTIM ? setting.matrix() : setting.vector();
        return flops / engine.throughput(flops);
    }

    double memoryTime(Pass pass) {
        return setting.machine().memory().time(moved(pass));
    }

    double time(Pass pass) {
        return plainTime(pass);
    }

    final double plainTime(Pass pass) {
        return setting.compute(flopsTime(pass), memoryTime(pass));
    }

    double commBytes(Pass pass, boolean isBase) {
        return 0;
    }

    double commTile(Pass pass, boolean isBase) {
        return commBytes(pass, isBase);
    }

    double netTime(Pass pass, boolean isBase) {
        return 0;
    }

    /** Part of the network time that nothing hides. */
    double exposed(Pass pass, boolean isBase) {
        return 0;
    }

    /** Exposed part of communication done again, as a block counts it. */
    double exposedAgain(boolean isBase) {
        return exposed(Pass.WGRAD, isBase);
    }

    double neededBandwidth(Pass pass, boolean isBase) {
        return 0;
    }

    double weightBytes() {
        return sizes.weights * setting.bytes();
    }

    double activation() {
        return kind == Kind.DROPOUT ? sizes.kept : sizes.kept * setting.bytes();
    }

    double outputBytes() {
        return sizes.out * setting.bytes();
    }

    double weightGradient() {
        return sizes.weights * setting.bytes() / setting.shards();
    }

    double weightGradientUnsharded() {
        return sizes.weights * 4;
    }

    double activationGradient() {
        return kind == Kind.DROPOUT ? sizes.grads : sizes.grads * setting.bytes();
    }

    double optimizer() {
        double master = setting.bytes() < 4 ? 4 * sizes.weights : 0;
        return (master + 8 * sizes.weights) / setting.shards();
    }

    /** The figures of the layer, in calculon's order and under its names. */
    Figures figures() {
        Figures out = new Figures();
        out.put("inputs_size", sizes.in);
        out.put("outputs_size", sizes.out);
        pass(out, "fw", "fw", Pass.FW);
        comm(out, "fw_tp_comm", "fw_tp_comm", Pass.FW);
        pass(out, "agrad", "agrad", Pass.AGRAD);
        comm(out, "bw_tp_comm", "bw_tp_comm", Pass.AGRAD);
        pass(out, "wgrad", "wgrad", Pass.WGRAD);
        comm(out, "recomm", "recomm", Pass.WGRAD);
        pass(out, "optim", "optim", Pass.OPTIM);
        out.put("weight", weightBytes());
        out.put("activation", activation());
        out.put("weight_grad", weightGradient());
        out.put("activation_grad", activationGradient());
        out.put("optimizer", optimizer());
        return out;
    }

    private void pass(Figures out, String name, String prefix, Pass pass) {
        out.put(name + "_flops", flops(pass));
        out.put(name + "_mem_accessed", moved(pass));
        out.put(prefix + "_arithmetic_intensity", intensity(pass));
        out.put(prefix + "_processing_time", time(pass));
    }

    private void comm(Figures out, String name, String prefix, Pass pass) {
        for (String block : new String[] {"baseblock_", "edgeblock_"}) {
            boolean isBase = block.startsWith("base");
            out.put(block + name + "_tile", commTile(pass, isBase));
            out.put(block + prefix + "_size", commBytes(pass, isBase));
            out.put(block + prefix + "_time", netTime(pass, isBase));
            out.put(block + prefix + "_time_exposed", exposed(pass, isBase));
        }
    }
}
