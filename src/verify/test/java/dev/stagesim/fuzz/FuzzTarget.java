package dev.stagesim.fuzz;

import dev.stagesim.model.StageException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Entry point of the fuzzer: runs one harness and checks the requirements of all harnesses. */
public final class FuzzTarget {
    private static final double MAX_SECONDS = 2;
    private static final int STRETCHED = 128 * 1024;
    /** One of this number of inputs is also repeated to a long input, which detects quadratic time and deep recursion. */
    private static final int STRETCH_ONE_OF = 512;

    private static Harness harness = input -> {};

    private FuzzTarget() {}

    /** Called once with the name of the harness. */
    public static void fuzzerInitialize(String[] arguments) {
        harness = Harnesses.named(arguments[0]);
        read(harness, new byte[0]); // Loads classes in advance, so that the first input is not charged for it.
    }

    /** Called for every input. */
    public static void fuzzerTestOneInput(byte[] input) {
        timed(harness, input);
        if (input.length > 0 && Math.floorMod(Arrays.hashCode(input), STRETCH_ONE_OF) == 0) {
            timed(harness, stretched(input, STRETCHED));
        }
    }

    /** Repeats the input to a length of about {@code length} bytes. */
    static byte[] stretched(byte[] input, int length) {
        byte[] all = new byte[Math.max(input.length, length / input.length * input.length)];
        for (int i = 0; i < all.length; i++) {
            all[i] = input[i % input.length];
        }
        return all;
    }

    /** Measures a slow input again, because the first time may include class loading. */
    static void timed(Harness harness, byte[] input) {
        double seconds = seconds(harness, input);
        for (int again = 0; seconds > MAX_SECONDS && again < 2; again++) {
            seconds = Math.min(seconds, seconds(harness, input));
        }
        if (seconds > MAX_SECONDS && input.length < 1 << 20) {
            throw new AssertionError(seconds + " s for " + input.length + " bytes");
        }
    }

    /** Returns the processor time of this thread, which does not depend on other processes. */
    private static double seconds(Harness harness, byte[] input) {
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        read(harness, input);
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) / 1e9;
    }

    /** Reads one input. An input error is an expected result. */
    static void read(Harness harness, byte[] input) {
        try {
            harness.read(input);
        } catch (StageException wrong) {
            if (wrong.kind() != StageException.Kind.INPUT) {
                throw new AssertionError("wrong input ends as " + wrong.kind(), wrong);
            }
        } catch (RuntimeException bug) {
            throw bug;
        } catch (Exception bug) {
            throw new AssertionError(bug);
        }
    }
}
