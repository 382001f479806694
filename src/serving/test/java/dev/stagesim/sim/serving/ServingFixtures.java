package dev.stagesim.sim.serving;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Small specifications, operator times and recorders for tests of the simulator. */
public final class ServingFixtures {
    /** 32 layers, 32 heads, width 4096, as in the worked examples. */
    public static final ModelShape LLAMA2_7B = ModelShape.evenHeads(32, 32, 32, 4096, 11008, true, true);

    /** One layer, so that a step takes the sum of its operator times. */
    public static final ModelShape ONE_LAYER = ModelShape.evenHeads(1, 1, 1, 8, 8, true, true);

    private ServingFixtures() {}

    public static SchedulerSpec.Limits limits(int cap, int blockSize, double watermark, long numBlocks) {
        return new SchedulerSpec.Limits(cap, blockSize, watermark, numBlocks);
    }

    public static SchedulerSpec vllm(int cap, int blockSize, long numBlocks) {
        return new SchedulerSpec.Vllm(limits(cap, blockSize, 0, numBlocks), 4096);
    }

    public static SchedulerSpec sarathi(int cap, int blockSize, long numBlocks, int chunk) {
        return new SchedulerSpec.Sarathi(limits(cap, blockSize, 0, numBlocks), chunk);
    }

    public static ServingSpec spec(SchedulerSpec scheduler) {
        return spec(scheduler, 1, 1, true);
    }

    public static ServingSpec spec(SchedulerSpec scheduler, int replicas, int stages, boolean quirks) {
        ModelShape shape = ModelShape.evenHeads(stages, 1, 1, 8, 8, true, true);
        return new ServingSpec(
                shape,
                Optional.empty(),
                new ClusterSpec(replicas, 1, stages, 80, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                scheduler,
                TimingSpec.DEFAULT,
                4096,
                0,
                quirks ? VidurQuirk.VIDUR : VidurQuirk.NONE);
    }

    public static ServingSpec worked(SchedulerSpec scheduler) {
        return new ServingSpec(
                LLAMA2_7B,
                Optional.empty(),
                new ClusterSpec(1, 1, 1, 80, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                scheduler,
                TimingSpec.DEFAULT,
                4096,
                0,
                VidurQuirk.VIDUR);
    }

    /** Returns operator times with a step of 1 ms per layer for every batch. */
    public static OperatorTimes flat() {
        TableTimes.Builder builder = TableTimes.builder(64);
        for (Operator operator : Operator.values()) {
            if (operator.key() == Operator.Key.TOKENS || operator.key() == Operator.Key.REQUESTS) {
                builder.add(operator, 1, 8192, operator == Operator.MLP_UP_PROJ ? 1.0 : 0.0);
            }
        }
        return builder.add(Operator.ATTN_DECODE, 1, 1024, 0, 8192, 0.0)
                .add(Operator.ATTN_PREFILL, 0, 8192, 1, 8192, 0.0)
                .build();
    }

    public static RequestTrace trace(double[]... rows) {
        double[] arrival = new double[rows.length];
        int[] prefill = new int[rows.length];
        int[] decode = new int[rows.length];
        for (int i = 0; i < rows.length; i++) {
            arrival[i] = rows[i][0];
            prefill[i] = (int) rows[i][1];
            decode[i] = (int) rows[i][2];
        }
        return new RequestTrace(arrival, prefill, decode);
    }

    public static double[] request(double arrival, int prefill, int decode) {
        return new double[] {arrival, prefill, decode};
    }

    /** Logs each batch as {@code request:tokens ...}, and checks the counts of memory and tokens. */
    public static final class Log implements ServingRecorder {
        public final List<String> batches = new ArrayList<>();
        public final List<Integer> assigned = new ArrayList<>();
        public final List<Integer> completed = new ArrayList<>();
        public final List<Integer> restarted = new ArrayList<>();
        public final List<Double> tokenTimes = new ArrayList<>();
        public long tokens;
        public long mostBlocks;
        public long lastBlocks;

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.BATCHES, Signal.TOKENS, Signal.MEMORY);
        }

        @Override
        public void batchScheduled(Batch batch, double time) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < batch.size; i++) {
                text.append(i == 0 ? "" : " ")
                        .append(batch.requests[i])
                        .append(':')
                        .append(batch.tokens[i]);
            }
            batches.add(text.toString());
        }

        @Override
        public void requestAssigned(int request, int replica, double time) {
            assigned.add(replica);
        }

        @Override
        public void requestCompleted(int request, double time, RequestStates states) {
            completed.add(request);
        }

        @Override
        public void requestRestarted(int request, double time) {
            restarted.add(request);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            tokens++;
            tokenTimes.add(time);
        }

        @Override
        public void memorySample(int replica, double time, long allocated, long total) {
            if (allocated < 0 || allocated > total) {
                throw new AssertionError(allocated + " of " + total + " blocks");
            }
            mostBlocks = Math.max(mostBlocks, allocated);
            lastBlocks = allocated;
        }
    }
}
