package dev.stagesim.feature.pytorch.link;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Events that match operators of the host trace, sorted by start: a list of all events, and one list per thread. */
final class Paired {
    /** Maximum number of operators to search for the enclosing one. */
    private static final int MAX_SEARCHED = 256;

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

    /** Returns the last event of a thread that starts before a time, or -1. */
    int before(int thread, double time) {
        int at = EventSearch.before(device, threads.get(thread), time);
        return at < 0 ? -1 : threads.get(thread)[at];
    }

    /** Returns the last event that starts before a time, or -1. */
    int before(double time) {
        int at = EventSearch.before(device, all, time);
        return at < 0 ? -1 : all[at];
    }

    /** Returns the first event of a thread that starts after a time, or -1. */
    int after(int thread, double time) {
        int[] ops = threads.get(thread);
        int at = EventSearch.after(device, ops, time);
        return at < ops.length ? ops[at] : -1;
    }

    /** Returns the innermost event of a thread that covers {@code from} to {@code to}, or -1. */
    int around(int thread, double from, double to) {
        int[] ops = threads.get(thread);
        int last = EventSearch.after(device, ops, from) - 1;
        for (int at = last; at >= Math.max(0, last - MAX_SEARCHED); at--) {
            if (device.end(ops[at]) >= to) {
                return ops[at];
            }
        }
        return -1;
    }
}
