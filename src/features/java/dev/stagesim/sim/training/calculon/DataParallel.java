package dev.stagesim.sim.training.calculon;

import dev.stagesim.sim.training.calculon.Machine.NetworkOp;

/** What data parallelism adds to a step. */
final class DataParallel {
    private final Figures out;
    private final Input in;
    private final Execution exe;
    private final Machine.Network network;
    private final double blockTime;
    private final double usage;
    private final boolean sharesPipeline;

    /**
     * Times of a step that overlap with the reduction of gradients.
     *
     * @param blocks blocks of a processor
     * @param baseBackward backward of a block
     * @param edgeBackward backward of the last block of a chunk
     * @param transfer of a gradient between processors
     */
    record Input(
            long blocks,
            long chunkBlocks,
            double baseBackward,
            double edgeBackward,
            double chunkBackward,
            double transfer) {}

    private DataParallel(Figures out, Input in, Execution exe, Machine machine) {
        this.out = out;
        this.in = in;
        this.exe = exe;
        network = machine.network(exe.dataNetwork());
        usage = network.processorUsage();
        sharesPipeline = exe.dataNetwork() == exe.pipelineNetwork();
        double bytes = out.get("block_weight_space");
        blockTime = exe.shardsOptimizer()
                ? network.time(NetworkOp.REDUCE_SCATTER, bytes, exe.data())
                        + network.time(NetworkOp.ALL_GATHER, bytes, exe.data())
                : network.time(NetworkOp.ALL_REDUCE, bytes, exe.data());
    }

    static void add(Figures out, Input in, Execution exe, Machine machine) {
        out.put("dp_bw_overlap_req_chunk", 0);
        out.put("dp_bw_overlap_req_tail", 0);
        out.put("block_dp_size", 0);
        out.put("dp_comm_link_time", 0);
        out.put("dp_comm_exposed_time", 0);
        if (exe.data() > 1 && exe.isTraining()) {
            new DataParallel(out, in, exe, machine).fill();
        }
    }

    private void fill() {
        out.put("block_dp_size", out.get("block_weight_space"));
        out.put("dp_comm_link_time", in.blocks() * blockTime);
        out.put("dp_comm_exposed_time", in.blocks() * blockTime);
        if (exe.overlapsData()) {
            overlap();
        }
    }

    private double window(String block, double backward) {
        double memory =
                out.get("block_agrad_mem_time") + out.get("block_wgrad_mem_time") + out.get("block_re_mem_time");
        double window = backward - memory;
        if (!exe.shardsOptimizer()) {
            window += optimizerWindow();
        }
        if (exe.dataNetwork() == exe.tensorNetwork()) {
            window -= out.get(block + "recomm_time") + out.get(block + "agrad_tp_time");
        }
        return window;
    }

    private double optimizerWindow() {
        return out.get("block_optim_time") - out.get("block_optim_mem_time");
    }

    private void overlap() {
        long baseBlocks = in.chunkBlocks() - 1;
        long chunks = exe.interleaving() - 1;
        double chunkWindow =
                baseBlocks * window("baseblock_", in.baseBackward()) + window("edgeblock_", in.edgeBackward());
        double blockCompute =
                out.get("block_agrad_flops_time") + out.get("block_wgrad_flops_time") + out.get("block_re_flops_time");
        blockCompute += exe.shardsOptimizer() ? 0 : out.get("block_optim_flops_time");
        double window = exe.pipeline() * chunkWindow;
        double compute = exe.pipeline() * (in.chunkBlocks() * blockCompute);
        double chunkTime = in.chunkBlocks() * blockTime;
        double excess = chunkTime - (window - collisions(chunkTime) * in.transfer()) + compute * usage;
        double early = chunks * (excess > 0 ? excess : chunkTime * usage);
        double hideable = (window + compute * usage - (sharesPipeline ? in.transfer() : 0)) * chunks;
        out.put("dp_bw_overlap_req_chunk", needed(hideable));

        double lastWindow = 0;
        if (baseBlocks > 0) {
            lastWindow = chunkWindow - in.transfer() - (in.baseBackward() + in.edgeBackward()) / 2;
            lastWindow += exe.shardsOptimizer() ? 0 : optimizerWindow();
        }
        double lastExcess = baseBlocks * blockTime + (blockCompute * usage - lastWindow);
        double hidden = baseBlocks * blockTime * usage;
        double last = lastExcess > 0 ? lastExcess : hidden;
        out.put("dp_bw_overlap_req_tail", needed(lastWindow + hidden));
        out.put("dp_comm_exposed_time", blockTime + (early + last));
    }

    private double collisions(double chunkTime) {
        if (!sharesPipeline) {
            return 0;
        }
        long odd = exe.microBatches() % exe.pipeline();
        double most = odd == 0 ? exe.pipeline() : odd;
        return Math.min(floorDivide(chunkTime, in.chunkBackward()), most);
    }

    private double needed(double time) {
        if (time <= 0) {
            return 0;
        }
        double scalars = exe.shardsOptimizer()
                ? network.scalar(NetworkOp.REDUCE_SCATTER) + network.scalar(NetworkOp.ALL_GATHER)
                : network.scalar(NetworkOp.ALL_REDUCE);
        return in.chunkBlocks() * out.get("block_dp_size") / time * scalars;
    }

    /** Floor of the exact quotient of two positive doubles, as Python's {@code //}. */
    private static double floorDivide(double value, double by) {
        Refusal.unless(by != 0, "a division by zero");
        double quotient = (value - value % by) / by;
        double floor = Math.floor(quotient);
        return quotient - floor > 0.5 ? floor + 1 : floor;
    }
}
