/**
 * Building blocks of the simulators, such as seeded random generators, samplers and event calendars; pure and deterministic.
 */
@NullMarked
package dev.stagesim.sim.core;

import org.jspecify.annotations.NullMarked;
