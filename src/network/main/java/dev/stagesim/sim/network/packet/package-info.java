/**
 * RDMA over Ethernet at packet level: hosts with queue pairs; switches with shared buffers, PFC, ECN and congestion
 * control.
 *
 * <p>This package has the network and its event loop; the sub-packages have its parts. State is kept in arrays of
 * primitives, one class per kind of object; a packet is a slot of {@code Packets}. Times are whole nanoseconds and events
 * are processed in the order of (time, order of scheduling). {@code specs/packet-network.md} specifies the behaviour.
 */
@NullMarked
package dev.stagesim.sim.network.packet;

import org.jspecify.annotations.NullMarked;
