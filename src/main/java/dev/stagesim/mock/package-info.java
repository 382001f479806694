/**
 * A server that speaks OpenAI's HTTP interface and answers at the speed of a simulated service: one thread serves all connections
 * and moves the simulation along with the clock.
 */
@NullMarked
package dev.stagesim.mock;

import org.jspecify.annotations.NullMarked;
