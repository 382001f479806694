/**
 * The stage {@code serve_mock}: a server that speaks OpenAI's HTTP interface and answers at the speed of the serving simulator. One
 * thread serves all connections and moves the simulation along with the clock.
 */
@NullMarked
package dev.stagesim.feature.mock;

import org.jspecify.annotations.NullMarked;
