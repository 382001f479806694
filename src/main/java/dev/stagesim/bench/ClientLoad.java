package dev.stagesim.bench;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How busy the client was while it measured: how late a thread woke that only wants to wake every 5 ms, and how much processor
 * time the process took. When the first is large, stamps of events are late by as much.
 */
public final class ClientLoad {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final double[] lateNs;
    private final double processors;

    private ClientLoad(double[] lateNs, double processors) {
        this.lateNs = lateNs;
        this.processors = processors;
    }

    /** How late the thread woke each time, in ns. */
    public double[] lateNs() {
        return lateNs.clone();
    }

    /** Processors that the process kept busy on average; NaN where that cannot be told. */
    public double processors() {
        return processors;
    }

    /** Watches from its creation until it is read. */
    static final class Watch implements AutoCloseable {
        private final Thread thread = new Thread(this::beat, "client-load");
        private final long began = System.nanoTime();
        private final long cpuBegan = cpuNs();
        private double[] late = new double[1024];
        private int count;
        private volatile boolean ended;

        Watch() {
            thread.setDaemon(true);
            thread.start();
        }

        private void beat() {
            long due = System.nanoTime() + PERIOD_NS;
            while (!ended) {
                long left = due - System.nanoTime();
                if (left > 0) {
                    LockSupport.parkNanos(left);
                    continue;
                }
                if (count == late.length) {
                    late = Arrays.copyOf(late, 2 * count);
                }
                late[count++] = -left;
                // what was slept through is one late beat, not many
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
            double wall = System.nanoTime() - began;
            return new ClientLoad(Arrays.copyOf(late, count), cpuBegan < 0 ? Double.NaN : (cpuNs() - cpuBegan) / wall);
        }

        private static long cpuNs() {
            return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean bean
                    ? bean.getProcessCpuTime()
                    : -1;
        }
    }
}
