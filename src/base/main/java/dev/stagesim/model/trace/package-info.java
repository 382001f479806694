/** Execution traces of distributed workloads: nodes, their dependencies and attributes; one trace per processor. */
@NullMarked
package dev.stagesim.model.trace;

import org.jspecify.annotations.NullMarked;
