package dev.stagesim.feature.pytorch.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Events that are operators of the host's trace, by start: all, and those of each thread. */
final class Paired {
    /** Operators between a call and the one around it, beyond which it is not worth looking. */
    private static final int MOST_LOOKED_AT = 256;

    private final DeviceTrace device;
    private final int[] all;
    private final List<int[]> threads = new ArrayList<>();

    Paired(DeviceTrace device, int[] hostOf) {
        this.device = device;
        all = device.select(event -> hostOf[event] >= 0);
        int[] counts = new int[device.threadCount()];
        for (int event : all) {
            counts[device.thread(event)]++;
        }
        for (int count : counts) {
            threads.add(new int[count]);
        }
        Arrays.fill(counts, 0);
        for (int event : all) {
            int thread = device.thread(event);
            threads.get(thread)[counts[thread]++] = event;
        }
    }

    /** The last one of a thread that starts before a time, or -1. */
    int before(int thread, double time) {
        int at = Search.before(device, threads.get(thread), time);
        return at < 0 ? -1 : threads.get(thread)[at];
    }

    /** The last one that starts before a time, or -1. */
    int before(double time) {
        int at = Search.before(device, all, time);
        return at < 0 ? -1 : all[at];
    }

    /** The first one of a thread that starts after a time, or -1. */
    int after(int thread, double time) {
        int[] ops = threads.get(thread);
        int at = Search.after(device, ops, time);
        return at < ops.length ? ops[at] : -1;
    }

    /** The innermost one of a thread that lasts from {@code from} to {@code to} at least, or -1. */
    int around(int thread, double from, double to) {
        int[] ops = threads.get(thread);
        int last = Search.after(device, ops, from) - 1;
        for (int at = last; at >= Math.max(0, last - MOST_LOOKED_AT); at--) {
            if (device.end(ops[at]) >= to) {
                return ops[at];
            }
        }
        return -1;
    }
}
