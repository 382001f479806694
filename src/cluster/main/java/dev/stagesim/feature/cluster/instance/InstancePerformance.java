package dev.stagesim.feature.cluster.instance;

import dev.stagesim.sim.kernels.EngineTimes;

/**
 * Performance of an instance under constant load, computed from the step model. Planners use it before any simulation.
 */
public interface InstancePerformance {
    /** Returns the prefill seconds of a prompt. */
    double promptSeconds(int tokens);

    /** Returns the prefill throughput in tokens per second for prompts of this length. */
    double promptRate(int tokens);

    /** Returns the TPOT in seconds for {@code requests} concurrent requests with this context length. */
    double tpotSeconds(int requests, int context);

    /** Returns the maximum number of concurrent requests with this context length. */
    int maxConcurrency(int context);

    /** Returns the profile of a pool's instances. */
    static InstancePerformance of(PoolPlan pool) {
        EngineTimes times = pool.replica().engineTimes();
        int stages = pool.shape().pp();
        int chunk = pool.maxTokens();
        return new InstancePerformance() {
            @Override
            public double promptSeconds(int tokens) {
                return stages * stage(tokens);
            }

            private double stage(int tokens) {
                double ms = 0;
                for (int done = 0; done < tokens; done += chunk) {
                    int now = Math.min(chunk, tokens - done);
                    ms += times.step().milliseconds(times.step().operators(times, now, 0, 0, done, now, 1), now, 0, 1);
                }
                return ms / 1e3;
            }

            @Override
            public double promptRate(int tokens) {
                return tokens / stage(tokens);
            }

            @Override
            public double tpotSeconds(int requests, int context) {
                int batch = Math.max(1, (requests + stages - 1) / stages);
                double operators = times.step().operators(times, batch, batch, context, 0, 1, 0);
                return stages * times.step().milliseconds(operators, batch, batch, 0) / 1e3;
            }

            @Override
            public int maxConcurrency(int context) {
                double room = Math.floor(pool.concurrency(Math.max(1, context)));
                return (int) Math.max(1, Math.min(room, (double) stages * pool.maxRequests()));
            }
        };
    }
}
