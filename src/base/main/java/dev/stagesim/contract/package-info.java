/** Declared schemas of all artifacts: the only place that defines columns, types, units and invariants. */
@NullMarked
package dev.stagesim.contract;

import org.jspecify.annotations.NullMarked;
