package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The event loop allocates memory per request but not per event. */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static RequestTrace trace(int requests, int output) {
        double[][] rows = new double[requests][];
        for (int i = 0; i < requests; i++) {
            rows[i] = ServingFixtures.request(i * 0.01, 40, output);
        }
        return ServingFixtures.trace(rows);
    }

    /** Returns the bytes that a run of 2000 requests allocates. */
    private static long bytes(int output) {
        RequestTrace trace = trace(2000, output);
        ServingSpec spec = ServingFixtures.spec(ServingFixtures.sarathi(128, 16, 4000, 512), 1, 1, true);
        var times = ServingFixtures.flat();
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times);
        long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        assertThat(outcome.completed()).isEqualTo(2000);
        return after - before;
    }

    @Test
    void allocatesIndependentlyOfTheNumberOfEvents() {
        bytes(10);
        long few = bytes(10);
        long many = bytes(400);
        // 400 output tokens cause about 40 times the events. Only queues and tables may grow.
        assertThat(many - few).isLessThan(200_000);
        assertThat(few / 2000).isLessThan(400);
    }
}
