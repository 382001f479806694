/** Settings of schedulers with their defaults, which depend on devices and versions of engines. */
@NullMarked
package dev.stagesim.sim.serving.settings;

import org.jspecify.annotations.NullMarked;
