/**
 * The event loop of the LLM serving simulator: requests arrive, a global scheduler selects a replica, the replica forms batches
 * within a KV-block budget, and pipeline stages run them for predicted times.
 *
 * <p>The input is a {@code ServingSpec} ({@code spec}), a {@code RequestTrace} ({@code request}) and operator times. A
 * {@code ServingRecorder} receives the results ({@code replica}; {@code metrics} contains implementations). Dependencies point
 * from this package to {@code replica}, {@code spec}, {@code policy}, {@code memory} and {@code request}, in this order.
 * {@code specs/serving.md} documents the behaviour and the reproduced bugs of Vidur.
 */
@NullMarked
package dev.stagesim.sim.serving;

import org.jspecify.annotations.NullMarked;
