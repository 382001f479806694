/**
 * The stage {@code serve_mock}: a server with OpenAI's HTTP interface that responds at the speed of the serving simulator. One
 * thread serves all connections and advances the simulation with the clock.
 */
@NullMarked
package dev.stagesim.feature.mock;

import org.jspecify.annotations.NullMarked;
