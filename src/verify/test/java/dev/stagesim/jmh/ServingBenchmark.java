package dev.stagesim.jmh;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.LatencySketch;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Requests simulated per second: chat lengths (log-normal, means 300 and 110 tokens) on one device, at light load and near
 * saturation, with and without the reference's metrics. Run with {@code -prof gc} to see bytes per request.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@State(Scope.Benchmark)
public class ServingBenchmark {
    private static final int REQUESTS = 20_000;

    @Param({"sarathi", "vllm"})
    public String scheduler = "sarathi";

    @Param({"5", "12"})
    public double qps = 5;

    private ServingSpec spec = spec("sarathi");
    private RequestTrace trace = trace(5);
    private final OperatorTimes times = times();

    @Setup
    public void make() {
        spec = spec(scheduler);
        trace = trace(qps);
    }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    public ServingOutcome eventLoop() {
        return ServingSimulator.run(spec, trace, times);
    }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    public double withMetrics() {
        LatencySketch sketch = new LatencySketch();
        ServingRecorder latencies = new ServingRecorder() {
            @Override
            public Set<Signal> signals() {
                return EnumSet.of(Signal.LATENCIES);
            }

            @Override
            public void decodeLatencies(double seconds, int count, double time) {
                sketch.add(seconds, count);
            }
        };
        ServingSimulator.run(spec, trace, times, latencies, new Utilization(spec));
        return sketch.quantile(0.99);
    }

    private static ServingSpec spec(String scheduler) {
        SchedulerSpec.Limits limits = new SchedulerSpec.Limits(128, 16, 0.01, 0);
        return new ServingSpec(
                ModelShape.evenHeads(32, 32, 32, 4096, 11008, true, true),
                Optional.empty(),
                new ClusterSpec(1, 1, 1, 80, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                scheduler.equals("vllm")
                        ? new SchedulerSpec.Vllm(limits, 4096)
                        : new SchedulerSpec.Sarathi(limits, 512),
                TimingSpec.DEFAULT,
                4096,
                0,
                VidurQuirk.VIDUR);
    }

    private static RequestTrace trace(double qps) {
        SplittableRandom random = new SplittableRandom(1);
        double[] arrival = new double[REQUESTS];
        int[] prefill = new int[REQUESTS];
        int[] decode = new int[REQUESTS];
        double time = 0;
        for (int i = 0; i < REQUESTS; i++) {
            time -= Math.log(1 - random.nextDouble()) / qps;
            arrival[i] = time;
            prefill[i] = length(random, 300);
            decode[i] = length(random, 110);
        }
        return new RequestTrace(arrival, prefill, decode);
    }

    private static int length(SplittableRandom random, double mean) {
        double normal = Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
        return (int) Math.max(1, Math.min(2000, mean * Math.exp(0.8 * normal - 0.32)));
    }

    /**
     * Returns times per layer of about a 7B model on an A100: 0.3 ms for a small step, growing with tokens and KV
     * length.
     */
    private static OperatorTimes times() {
        TableTimes.Builder builder = TableTimes.builder(64);
        for (Operator operator : Operator.values()) {
            if (operator.key() == Operator.Key.TOKENS || operator.key() == Operator.Key.REQUESTS) {
                double share = operator == Operator.MLP_UP_PROJ ? 1 : 0.05;
                for (int tokens = 1; tokens <= 4096; tokens++) {
                    builder.add(operator, tokens, tokens, share * (0.2 + Math.max(0, tokens - 128) * 0.0016));
                }
            }
        }
        for (int kv = 0; kv <= 4096; kv += 64) {
            for (int batch = 1; batch <= 128; batch++) {
                builder.add(Operator.ATTN_DECODE, batch, batch, kv, kv, 0.01 + batch * kv * 2e-6);
            }
            builder.add(Operator.ATTN_PREFILL, kv, kv, 1, 4096, 0.03 + kv * 1e-5);
        }
        return builder.build();
    }
}
