package dev.stagesim.feature.cluster.transfer;

import dev.stagesim.sim.core.IntList;
import java.util.PriorityQueue;

/**
 * Transfers over the egress and ingress links of instances.
 *
 * <p>With fair sharing, each link divides its bandwidth equally among its transfers. The rate of a transfer is the
 * minimum of its two links. The start or end of a transfer changes only the rates of transfers on the same links.
 */
public final class Transfers implements KvTransport {
    /** Predicted end of a transfer at its current rate. It is stale if the version differs. */
    private record End(double at, int transfer, int version) implements Comparable<End> {
        @Override
        public int compareTo(End other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Integer.compare(transfer, other.transfer);
        }
    }

    private final boolean isFair;
    private final double[] bytesPerSecond;
    private final IntList[] out;
    private final IntList[] in;
    private final PriorityQueue<End> ends = new PriorityQueue<>();

    private final int[] from;
    private final int[] to;
    private final double[] left;
    private final double[] rate;
    private final double[] since;
    private final int[] version;
    private int active;

    /**
     * Creates idle links.
     *
     * @param bytesPerSecond bandwidth of each instance and direction
     * @param maxTransfers exclusive upper bound of transfer numbers
     */
    public Transfers(boolean isFair, double[] bytesPerSecond, int maxTransfers) {
        this.isFair = isFair;
        this.bytesPerSecond = bytesPerSecond;
        out = lists(bytesPerSecond.length);
        in = lists(bytesPerSecond.length);
        from = new int[maxTransfers];
        to = new int[maxTransfers];
        left = new double[maxTransfers];
        rate = new double[maxTransfers];
        since = new double[maxTransfers];
        version = new int[maxTransfers];
    }

    private static IntList[] lists(int count) {
        IntList[] lists = new IntList[count];
        for (int i = 0; i < count; i++) {
            lists[i] = new IntList();
        }
        return lists;
    }

    @Override
    public boolean isFair() {
        return isFair;
    }

    @Override
    public int active() {
        return active;
    }

    @Override
    public void start(int transfer, int source, int target, double bytes, double now) {
        from[transfer] = source;
        to[transfer] = target;
        left[transfer] = bytes;
        since[transfer] = now;
        rate[transfer] = 0; // a stopped transfer of this number may have had the same rate
        active++;
        out[source].add(transfer);
        in[target].add(transfer);
        if (isFair) {
            share(source, target, now);
        } else {
            rate(transfer, Math.min(bytesPerSecond[source], bytesPerSecond[target]), now);
        }
    }

    @Override
    public boolean isActive(int transfer) {
        IntList list = out[from[transfer]];
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) == transfer) {
                return true;
            }
        }
        return false;
    }

    @Override
    public double nextSeconds(double until) {
        while (!ends.isEmpty() && ends.peek().version() != version[ends.peek().transfer()]) {
            ends.remove();
        }
        return ends.isEmpty() ? Double.POSITIVE_INFINITY : ends.peek().at();
    }

    @Override
    public int end() {
        End end = ends.remove();
        stop(end.transfer(), end.at());
        return end.transfer();
    }

    @Override
    public void stop(int transfer, double now) {
        version[transfer]++;
        active--;
        remove(out[from[transfer]], transfer);
        remove(in[to[transfer]], transfer);
        if (isFair) {
            share(from[transfer], to[transfer], now);
        }
    }

    private static void remove(IntList list, int transfer) {
        int at = 0;
        while (list.get(at) != transfer) {
            at++;
        }
        list.set(at, list.get(list.size() - 1));
        list.truncate(list.size() - 1);
    }

    private void share(int source, int target, double now) {
        for (int i = 0; i < out[source].size(); i++) {
            adjust(out[source].get(i), now);
        }
        for (int i = 0; i < in[target].size(); i++) {
            if (from[in[target].get(i)] != source) {
                adjust(in[target].get(i), now);
            }
        }
    }

    private void adjust(int transfer, double now) {
        int source = from[transfer];
        int target = to[transfer];
        double fair = Math.min(bytesPerSecond[source] / out[source].size(), bytesPerSecond[target] / in[target].size());
        if (fair != rate[transfer]) {
            rate(transfer, fair, now);
        }
    }

    private void rate(int transfer, double newRate, double now) {
        left[transfer] = Math.max(0, left[transfer] - rate[transfer] * (now - since[transfer]));
        since[transfer] = now;
        rate[transfer] = newRate;
        ends.add(new End(now + left[transfer] / newRate, transfer, ++version[transfer]));
    }
}
