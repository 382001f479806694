package dev.stagesim.feature.pytorch.json;

import dev.stagesim.traces.PytorchSyntheticWorkload;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Generates traces of a data-parallel training run: layers forward on one thread and backward on another, an all-reduce
 * after each layer, ring transfers between ranks, and a synchronisation after each step.
 *
 * <p>The output depends only on the rank and the shape.
 */
public final class SyntheticTrace {
    /** Number of records in a trace. */
    public record Counts(int events, int hostOps, int deviceOps) {}

    private static final int MAIN = 0;
    private static final int BACKWARD = 1;
    private static final int FIRST_STREAM = 7;
    private static final int MIN_COMM_STREAM = 60;
    private static final long PAUSE = 1_500_000;
    private static final long WIDTH = 4096;

    private final PytorchSyntheticWorkload shape;
    private final int rank;
    private final SyntheticFiles files;

    /** Stream of the collectives, after those of computations. */
    private final int commStream;

    private final long[] streamFree;
    private long now;
    private int ops;

    private SyntheticTrace(PytorchSyntheticWorkload shape, int rank, SyntheticFiles files) {
        this.shape = shape;
        this.rank = rank;
        this.files = files;
        this.commStream = Math.max(MIN_COMM_STREAM, FIRST_STREAM + shape.streams());
        this.streamFree = new long[commStream + 1];
    }

    /** Writes the two files of one rank. */
    public static Counts write(Path host, Path device, int rank, PytorchSyntheticWorkload shape) throws IOException {
        try (SyntheticFiles files = new SyntheticFiles(host, device, rank, shape.ranks())) {
            new SyntheticTrace(shape, rank, files).run();
            files.finish();
            return files.counts();
        }
    }

    private boolean isDone() {
        return files.counts().events() >= shape.events();
    }

    private void run() throws IOException {
        for (int step = 0; !isDone(); step++) {
            long begin = now;
            now += 2_000;
            for (int layer = 0; layer < shape.layers() && !isDone(); layer++) {
                int thread = layer < (shape.layers() + 1) / 2 ? MAIN : BACKWARD;
                // The second thread has been waiting; the pause shows its dependency on the first thread.
                now += layer == 0 || layer == (shape.layers() + 1) / 2 ? PAUSE : 0;
                for (int op = 0; op < shape.layer() && !isDone(); op++) {
                    computation(thread);
                }
                collective(thread);
            }
            if (shape.ranks() > 1) {
                transfer(true);
                transfer(false);
            }
            synchronise();
            files.annotation("ProfilerStep#" + step, MAIN, begin, now - begin);
        }
    }

    private void computation(int thread) throws IOException {
        String name = thread == MAIN ? "linear" : "mm_backward";
        long tensor = files.tensor();
        int outer = files.host(thread, files.root(thread), "aten::" + name, tensor, WIDTH);
        int inner = files.host(thread, outer, "aten::addmm", tensor, WIDTH);
        long begin = now;
        files.operator("aten::" + name, thread, outer, begin, 24_000);
        files.operator("aten::addmm", thread, inner, begin + 4_100, 13_300);
        int stream = FIRST_STREAM + ops % shape.streams();
        long launch = begin + 6_200;
        kernel("ampere_sgemm_128x64_tn", thread, inner, launch, stream, 9_000 + ops * 7_919L % 13_000, "");
        ops++;
        now = begin + 25_000 + ops * 104_729L % 5_000;
    }

    private void collective(int thread) throws IOException {
        long tensor = files.tensor();
        int outer = files.host(thread, files.root(thread), "c10d::allreduce_", tensor, WIDTH * WIDTH);
        int recorder = files.comm(thread, outer, "allreduce", tensor, WIDTH * WIDTH);
        int inner = files.host(thread, recorder, "nccl:all_reduce", tensor, WIDTH * WIDTH);
        nested(thread, outer, recorder, inner, "c10d::allreduce_", "nccl:all_reduce");
        kernel(
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                thread,
                inner,
                now + 20_000,
                commStream,
                80_000,
                "0");
        now += 45_000;
    }

    private void transfer(boolean isSend) throws IOException {
        int peer = (rank + (isSend ? 1 : shape.ranks() - 1)) % shape.ranks();
        String name = isSend ? "c10d::send" : "c10d::recv_";
        String inside = isSend ? "nccl:send " + rank + "->" + peer : "nccl:recv " + rank + "<-" + peer;
        long tensor = files.tensor();
        int outer = files.host(MAIN, files.root(MAIN), name, tensor, WIDTH);
        int recorder = files.comm(MAIN, outer, isSend ? "send" : "recv", tensor, WIDTH);
        int inner = files.host(MAIN, recorder, inside, tensor, WIDTH);
        nested(MAIN, outer, recorder, inner, name, inside);
        kernel(
                "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
                MAIN,
                inner,
                now + 20_000,
                commStream,
                30_000,
                "0");
        now += 45_000;
    }

    private void nested(int thread, int outer, int recorder, int inner, String name, String inside) throws IOException {
        files.operator(name, thread, outer, now, 40_000);
        files.operator("record_param_comms", thread, recorder, now + 5_000, 30_000);
        files.operator(inside, thread, inner, now + 10_000, 20_000);
    }

    private void kernel(String name, int thread, int launcher, long launch, int stream, long lasts, String group)
            throws IOException {
        long start = Math.max(launch + 4_500, streamFree[stream] + 300);
        streamFree[stream] = start + lasts;
        files.launch(name, thread, launcher, launch, start, lasts, stream, group);
    }

    private void synchronise() throws IOException {
        int op = files.host(MAIN, files.root(MAIN), "aten::item", files.tensor(), 1);
        long end = now + 6_000;
        for (long free : streamFree) {
            end = Math.max(end, free + 2_000);
        }
        files.operator("aten::item", MAIN, op, now, end - now + 3_000);
        files.synchronise(MAIN, op, now + 2_000, end - now - 2_000, shape.syncEvents());
        now = end + 5_000;
    }
}
