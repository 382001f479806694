/** Declared schemas of every artifact: the one place that names columns, types, units and invariants. */
@NullMarked
package dev.stagesim.contract;

import org.jspecify.annotations.NullMarked;
