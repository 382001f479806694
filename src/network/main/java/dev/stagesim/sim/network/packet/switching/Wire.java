package dev.stagesim.sim.network.packet.switching;

import dev.stagesim.sim.network.packet.event.EventHeap;
import dev.stagesim.sim.network.packet.event.NearEvents;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.topology.Ports;

/**
 * Transmits frames on cables. A port sends one frame at a time, and a cable delivers frames in order.
 *
 * <p>The event that frees a port is skipped unless a frame waits for it. If a frame arrives before it is due, the event
 * is added at its original position in the order.
 */
public final class Wire {
    private final State state;
    private final EventHeap heap;
    private final NearEvents near;
    private final Packets packets;
    private final Ports ports;

    public Wire(State state) {
        this.state = state;
        this.heap = state.heap;
        this.near = state.near;
        this.packets = state.packets;
        this.ports = state.ports;
    }

    /** True if a port is still sending; in this case the event that frees it is scheduled. */
    public boolean isBusy(int port) {
        long freeAt = ports.freeAt[port];
        if (freeAt < state.now || (freeAt == state.now && ports.freeStamp[port] < state.stamp)) {
            return false;
        }
        if (!ports.freePlanned[port]) {
            ports.freePlanned[port] = true;
            state.counters.skippedEvents--;
            planFree(port, freeAt, ports.freeStamp[port]);
        }
        return true;
    }

    private void planFree(int port, long at, long stamp) {
        if (near.reaches(at - state.now)) {
            near.plan(at, stamp, port);
        } else {
            heap.add(at, stamp | State.FREE | port);
        }
    }

    /** Marks a port as free. */
    public void free(int port) {
        ports.freeAt[port] = -1;
    }

    /**
     * Sends a frame from a free port.
     *
     * @param awaited whether frames wait for the port
     */
    public void transmit(int port, int packet, boolean awaited) {
        int size = packets.size(packet);
        long time = ports.times[port].of(size);
        long freeAt = state.now + time;
        ports.sentBytes[port] += size;
        ports.sentFrames[port]++;
        ports.busyNs[port] += time;
        long stamp = heap.nextStamp();
        ports.freeAt[port] = freeAt;
        ports.freeStamp[port] = stamp;
        ports.freePlanned[port] = awaited;
        if (awaited) {
            planFree(port, freeAt, stamp);
        } else {
            state.counters.skippedEvents++;
        }
        long arrival = freeAt + ports.delay[port];
        packets.depart(packet, port ^ 1, arrival);
        long arrivalStamp = heap.nextStamp();
        if (near.reaches(arrival - state.now)) {
            near.plan(arrival, arrivalStamp, ports.count + packet);
        } else {
            if (packet > State.INDEX) {
                throw State.tooMany("frames");
            }
            heap.add(arrival, arrivalStamp | State.ARRIVE | packet);
        }
    }

    /** Appends a frame to the queue of a port. */
    public void enqueue(int port, int packet) {
        packets.setNext(packet, Packets.NONE);
        int waiting = ports.waiting[port] + packets.size(packet);
        ports.waiting[port] = waiting;
        if (waiting > ports.maxWaiting[port]) {
            ports.maxWaiting[port] = waiting;
        }
        if (state.isTracked) {
            track(port);
        }
        int tail = ports.queueTail[port];
        ports.queueTail[port] = packet;
        if (tail == Packets.NONE) {
            ports.queueHead[port] = packet;
        } else {
            packets.setNext(tail, packet);
        }
    }

    /** Removes the first frame of a port's queue. */
    public int dequeue(int port) {
        int packet = ports.queueHead[port];
        int following = packets.next(packet);
        ports.queueHead[port] = following;
        if (following == Packets.NONE) {
            ports.queueTail[port] = Packets.NONE;
        }
        ports.waiting[port] -= packets.size(packet);
        if (state.isTracked) {
            track(port);
        }
        return packet;
    }

    private void track(int port) {
        if (ports.onSwitch[port]) {
            state.track.add(state.now - state.trackStart, port, ports.waiting[port]);
        }
    }

    /** Appends a pause frame to the urgent queue of a port. */
    void enqueueUrgent(int port, int packet) {
        packets.setNext(packet, Packets.NONE);
        ports.waiting[port] += packets.size(packet);
        int tail = ports.urgentTail[port];
        ports.urgentTail[port] = packet;
        if (tail == Packets.NONE) {
            ports.urgentHead[port] = packet;
        } else {
            packets.setNext(tail, packet);
        }
    }

    /** Removes the first pause frame of a port's urgent queue. */
    int dequeueUrgent(int port) {
        int packet = ports.urgentHead[port];
        int following = packets.next(packet);
        ports.urgentHead[port] = following;
        if (following == Packets.NONE) {
            ports.urgentTail[port] = Packets.NONE;
        }
        ports.waiting[port] -= packets.size(packet);
        return packet;
    }
}
