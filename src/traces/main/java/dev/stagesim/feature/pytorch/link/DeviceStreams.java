package dev.stagesim.feature.pytorch.link;

import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.stats.Bisection;
import java.util.Arrays;

/** Device operators of each stream in launch order. */
final class DeviceStreams {
    private static final int DEVICES = 1 << 12;

    private final DeviceTrace device;
    private final int[] ops;
    private final double[] launch;
    private final LongIndex first;
    private final LongIndex end;

    DeviceStreams(DeviceTrace device, Launches launches) {
        this.device = device;
        ops = device.select(event -> device.kind(event).isDevice() && device.stream(event) != DeviceTrace.NONE);
        launch = new double[device.size()];
        for (int op : ops) {
            int call = launches.call(op);
            launch[op] = device.start(call == Launches.NONE ? op : call);
        }
        StableOrder.sort(ops, (a, b) -> {
            int byStream = Long.compare(key(a), key(b));
            return byStream != 0 ? byStream : Double.compare(launch[a], launch[b]);
        });
        first = new LongIndex(64);
        end = new LongIndex(64);
        for (int i = 0; i < ops.length; i++) {
            long key = key(ops[i]);
            if (!first.contains(key)) {
                first.put(key, i);
            }
            end.put(key, i + 1);
        }
    }

    private long key(int op) {
        return key(device.device(op), device.stream(op));
    }

    private static long key(long ofDevice, long stream) {
        return stream * DEVICES + ofDevice;
    }

    /** Last operator of a stream that was launched before a time, or -1. */
    int lastBefore(long ofDevice, long stream, double time) {
        int from = first.get(key(ofDevice, stream));
        int at = from < 0 ? -1 : launchedBefore(from, end.get(key(ofDevice, stream)), time);
        return at <= from ? -1 : ops[at - 1];
    }

    /** First operator of a stream that was launched after a time, or -1. */
    int firstAfter(long ofDevice, long stream, double time) {
        int from = first.get(key(ofDevice, stream));
        if (from < 0) {
            return -1;
        }
        int to = end.get(key(ofDevice, stream));
        int at = launchedBefore(from, to, Math.nextUp(time));
        return at < to ? ops[at] : -1;
    }

    private int launchedBefore(int from, int to, double time) {
        return Bisection.smallest(from - 1, to, i -> launch[ops[i]] >= time);
    }

    /** Last operators of all streams that were launched before a time. */
    int[] lastOfAll(double time) {
        int[] found = new int[first.size()];
        int count = 0;
        for (int i = 0; i < ops.length; i = end.get(key(ops[i]))) {
            int last = lastBefore(device.device(ops[i]), device.stream(ops[i]), time);
            if (last >= 0) {
                found[count++] = last;
            }
        }
        return Arrays.copyOf(found, count);
    }
}
