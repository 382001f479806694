/** Building blocks of the simulators: seeded random generators and samplers; pure and deterministic. */
@NullMarked
package dev.stagesim.sim.core;

import org.jspecify.annotations.NullMarked;
