package dev.stagesim.sim.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

import java.util.Arrays;
import java.util.Optional;

/**
 * Requests in order of arrival, as growing parallel arrays.
 *
 * <p>About 28 bytes per request.
 */
public final class RequestTable {
    private long[] arrival;
    private double[] seconds;
    private int[] prefill;
    private int[] decode;
    private int[] row;
    private int size;
    private Optional<ClosedLoop> closedLoop = Optional.empty();

    /** Creates a table with capacity for {@code expected} requests. */
    RequestTable(int expected) {
        int room = Math.max(16, expected);
        arrival = new long[room];
        seconds = new double[room];
        prefill = new int[room];
        decode = new int[room];
        row = new int[room];
    }

    /** Adds a request. {@code at} is its time in seconds before rounding to nanoseconds. */
    void add(long arrivalNs, double at, LengthSource lengths) {
        add(arrivalNs, at, lengths.prefill(), lengths.decode(), lengths.row());
    }

    void add(long arrivalNs, double at, int prompt, int output, int source) {
        if (size == arrival.length) {
            grow();
        }
        arrival[size] = arrivalNs;
        seconds[size] = at;
        prefill[size] = prompt;
        decode[size] = output;
        row[size] = source;
        size++;
    }

    private void grow() {
        int room = Math.addExact(size, size / 2);
        arrival = Arrays.copyOf(arrival, room);
        seconds = Arrays.copyOf(seconds, room);
        prefill = Arrays.copyOf(prefill, room);
        decode = Arrays.copyOf(decode, room);
        row = Arrays.copyOf(row, room);
    }

    /** Removes the requests from index {@code length}. */
    void truncate(int length) {
        size = Math.min(size, length);
    }

    /** Multiplies all arrival times so that the last request arrives after {@code duration} seconds. */
    public void stretch(double duration) {
        double last = size == 0 ? 0 : seconds[size - 1];
        for (int i = 0; last > 0 && i < size; i++) {
            arrival[i] = Math.round(seconds[i] / last * duration * NS_PER_S);
            seconds[i] = arrival[i] / NS_PER_S;
        }
    }

    /** Limits the requests in flight. */
    public void close(ClosedLoop limit) {
        closedLoop = Optional.of(limit);
    }

    /** Returns the limit on the requests in flight; empty for an open loop. */
    public Optional<ClosedLoop> closedLoop() {
        return closedLoop;
    }

    public int size() {
        return size;
    }

    /** Arrival of request {@code i} in nanoseconds from the start of the run. */
    public long arrivalNs(int i) {
        return arrival[i];
    }

    /** Arrival of request {@code i} in seconds, without rounding to nanoseconds. */
    public double arrivalSeconds(int i) {
        return seconds[i];
    }

    public int prefill(int i) {
        return prefill[i];
    }

    public int decode(int i) {
        return decode[i];
    }

    /** Source row of request {@code i}, or -1. */
    public int row(int i) {
        return row[i];
    }
}
