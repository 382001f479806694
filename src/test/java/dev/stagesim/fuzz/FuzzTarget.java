package dev.stagesim.fuzz;

import dev.stagesim.model.StageException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** What the fuzzer calls: one harness, and what every harness must keep to. */
public final class FuzzTarget {
    private static final double MOST_SECONDS = 2;
    private static final int STRETCHED = 128 * 1024;
    /** One input of so many is also read many times over in one piece: what is quadratic or recursive shows then. */
    private static final int STRETCH_ONE_OF = 512;

    private static Harness harness = input -> {};

    private FuzzTarget() {}

    /** Called once: the argument is the name of the harness. */
    public static void fuzzerInitialize(String[] arguments) {
        harness = Harnesses.named(arguments[0]);
        read(harness, new byte[0]); // classes are loaded once, which is not the first input's time
    }

    /** Called for every input. */
    public static void fuzzerTestOneInput(byte[] input) {
        timed(harness, input);
        if (input.length > 0 && Math.floorMod(Arrays.hashCode(input), STRETCH_ONE_OF) == 0) {
            timed(harness, stretched(input, STRETCHED));
        }
    }

    /** The input over and over, as one input of about {@code length} bytes. */
    static byte[] stretched(byte[] input, int length) {
        byte[] all = new byte[Math.max(input.length, length / input.length * input.length)];
        for (int i = 0; i < all.length; i++) {
            all[i] = input[i % input.length];
        }
        return all;
    }

    /** A slow input is read again: the first time may have loaded classes. */
    static void timed(Harness harness, byte[] input) {
        double seconds = seconds(harness, input);
        for (int again = 0; seconds > MOST_SECONDS && again < 2; again++) {
            seconds = Math.min(seconds, seconds(harness, input));
        }
        if (seconds > MOST_SECONDS && input.length < 1 << 20) {
            throw new AssertionError(seconds + " s for " + input.length + " bytes");
        }
    }

    /** Processor time of this thread: it does not depend on what else the machine does. */
    private static double seconds(Harness harness, byte[] input) {
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        read(harness, input);
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) / 1e9;
    }

    /** Reads one input; an error that tells the user what is wrong with it is an answer like any other. */
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
