package dev.stagesim.feature.reference;

import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** The time that an engine lives in, in ns since the run began. */
public interface Pace {
    /** Time now; never goes back. */
    long now();

    /** Returns when it is at least the given time; does {@code meanwhile} again and again until then. */
    void await(long time, Runnable meanwhile);

    /**
     * The monotonic clock from now on. Waiting is done by asking it again and again: an engine that slept would find its
     * caches cold and its processor slow.
     */
    static Pace monotonic() {
        return of(System::nanoTime);
    }

    /**
     * The processor time that this thread uses from now on: what other programs take of the processor does not count. To be
     * used by this thread alone; waiting uses time, as above.
     */
    static Pace processor() {
        return of(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
    }

    private static Pace of(LongSupplier nanos) {
        long origin = nanos.getAsLong();
        return new Pace() {
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
