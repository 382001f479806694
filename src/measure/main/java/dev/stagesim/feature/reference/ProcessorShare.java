package dev.stagesim.feature.reference;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor share of this thread since construction: 1 on an idle machine, less on a busy one. */
final class ProcessorShare {
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final long wall = System.nanoTime();
    private final long used = processor();

    private long processor() {
        return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : -1;
    }

    /** Returns the share since construction, or NaN if the system does not support it. */
    double now() {
        long time = System.nanoTime() - wall;
        return used < 0 || time <= 0 ? Double.NaN : (double) (processor() - used) / time;
    }
}
