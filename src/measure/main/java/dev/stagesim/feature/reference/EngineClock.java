package dev.stagesim.feature.reference;

import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** The clock of a reference engine, in ns since the start of the run. */
interface EngineClock {
    /** Returns the current time, which never decreases. */
    long now();

    /** Waits until {@code time} and runs {@code meanwhile} repeatedly. */
    void await(long time, Runnable meanwhile);

    /**
     * Returns a monotonic clock that starts now. It waits actively, because after sleep the processor's caches are cold and its
     * frequency is low.
     */
    static EngineClock monotonic() {
        return of(System::nanoTime);
    }

    /**
     * Returns a clock of this thread's processor time that starts now. Time that other programs use does not count. Only this
     * thread may use it. It waits actively.
     */
    static EngineClock processor() {
        return of(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
    }

    private static EngineClock of(LongSupplier nanos) {
        long origin = nanos.getAsLong();
        return new EngineClock() {
            @Override
            public long now() {
                return nanos.getAsLong() - origin;
            }

            @Override
            public void await(long time, Runnable meanwhile) {
                while (now() < time) {
                    meanwhile.run();
                }
            }
        };
    }
}
