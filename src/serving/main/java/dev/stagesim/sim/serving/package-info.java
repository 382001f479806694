/**
 * The discrete-event simulator of an LLM serving cluster: requests arrive, a global scheduler picks a replica, the
 * replica's scheduler forms batches under a KV-block budget, and pipeline stages run them for predicted times.
 *
 * <p>Pure: {@link dev.stagesim.sim.serving.ServingSpec}, {@link dev.stagesim.sim.serving.RequestTrace} and operator
 * times in, callbacks on a {@link dev.stagesim.sim.serving.ServingRecorder} out. {@code specs/serving.md} states the
 * behaviour, accident by accident.
 */
@NullMarked
package dev.stagesim.sim.serving;

import org.jspecify.annotations.NullMarked;
