/**
 * What a serving simulation is made of: from settings, a profiling bundle and a workload to the simulator's own terms. Shared by
 * the stages that simulate a service.
 */
@NullMarked
package dev.stagesim.serving;

import org.jspecify.annotations.NullMarked;
