package dev.stagesim.feature.cluster.instance;

import dev.stagesim.sim.kernels.EngineTimes;

/** What an instance does alone, by the step model: what a planner has measured beforehand. */
public interface Profile {
    /** Seconds of a prompt of so many tokens. */
    double promptSeconds(int tokens);

    /** Tokens of such prompts that it computes in a second. */
    double promptRate(int tokens);

    /** Seconds between two tokens of each of so many requests with such a context. */
    double gapSeconds(int requests, int context);

    /** Most requests of such a context at a time. */
    int maxConcurrency(int context);

    /** That of a pool's instances. */
    static Profile of(PoolPlan pool) {
        EngineTimes times = pool.replica().engineTimes();
        int stages = pool.shape().pp();
        int chunk = pool.maxTokens();
        return new Profile() {
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
            public double gapSeconds(int requests, int context) {
                int batch = Math.max(1, (requests + stages - 1) / stages);
                double operators = times.step().operators(times, batch, batch, context, 0, 1, 0);
                return stages * times.step().milliseconds(operators, batch, batch, 0) / 1e3;
            }

            @Override
            public int maxConcurrency(int context) {
                long room = pool.kvTokens() / Math.max(1, context);
                return (int) Math.max(1, Math.min(room, (long) stages * pool.maxRequests()));
            }
        };
    }
}
