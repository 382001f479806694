/**
 * RDMA over Ethernet, packet by packet: hosts with queue pairs, switches with a shared buffer, pauses, marks and
 * congestion control.
 *
 * <p>State lies in arrays of primitives, one class per kind of thing; a packet is a slot in {@code Packets}. Times are
 * whole nanoseconds and events run in the order of (time, order of planning). {@code specs/packet-network.md} states
 * the behaviour.
 */
@NullMarked
package dev.stagesim.sim.network.packet;

import org.jspecify.annotations.NullMarked;
