package dev.stagesim.bench;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The load of the client during a measurement: the wake-up delays of a thread that wakes every 5 ms, and the processor time of the
 * process. Timestamps of events are late by about the wake-up delay.
 */
public final class ClientLoad {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final double[] lateNs;
    private final double processors;

    private ClientLoad(double[] lateNs, double processors) {
        this.lateNs = lateNs;
        this.processors = processors;
    }

    /** Returns the wake-up delays, in ns. */
    public double[] lateNs() {
        return lateNs.clone();
    }

    /** Returns the mean number of busy processors, or NaN if unknown. */
    public double processors() {
        return processors;
    }

    /** Measures the load from its creation until {@link #end}. */
    static final class Watch implements AutoCloseable {
        private final Thread thread = new Thread(this::measure, "client-load");
        private final long startNs = System.nanoTime();
        private final long startCpuNs = cpuNs();
        private double[] delays = new double[1024];
        private int count;
        private volatile boolean ended;

        Watch() {
            thread.setDaemon(true);
            thread.start();
        }

        private void measure() {
            long due = System.nanoTime() + PERIOD_NS;
            while (!ended) {
                long left = due - System.nanoTime();
                if (left > 0) {
                    LockSupport.parkNanos(left);
                    continue;
                }
                if (count == delays.length) {
                    delays = Arrays.copyOf(delays, 2 * count);
                }
                delays[count++] = -left;
                // a long sleep counts as one delay
                due = System.nanoTime() + PERIOD_NS;
            }
        }

        @Override
        public void close() {
            end();
        }

        ClientLoad end() {
            ended = true;
            LockSupport.unpark(thread);
            try {
                thread.join(TimeUnit.SECONDS.toMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            double wall = System.nanoTime() - startNs;
            return new ClientLoad(
                    Arrays.copyOf(delays, count), startCpuNs < 0 ? Double.NaN : (cpuNs() - startCpuNs) / wall);
        }

        private static long cpuNs() {
            return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean bean
                    ? bean.getProcessCpuTime()
                    : -1;
        }
    }
}
