/** Decisions above a single engine: which worker gets a request, which device holds a copy of an expert. */
@NullMarked
package dev.stagesim.sim.serving.cluster;

import org.jspecify.annotations.NullMarked;
