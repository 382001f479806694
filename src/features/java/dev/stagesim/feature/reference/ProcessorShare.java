package dev.stagesim.feature.reference;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** How much of a processor this thread had since a moment: 1 when nothing else wanted it, less on a busy machine. */
public final class ProcessorShare {
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final long wall = System.nanoTime();
    private final long used = processor();

    private long processor() {
        return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : -1;
    }

    /** The share since this was made; NaN where the machine does not say. */
    public double now() {
        long time = System.nanoTime() - wall;
        return used < 0 || time <= 0 ? Double.NaN : (double) (processor() - used) / time;
    }
}
