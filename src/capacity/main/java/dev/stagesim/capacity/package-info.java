/** Settings of fleets and of catalogued workloads, as users give them. */
@NullMarked
package dev.stagesim.capacity;

import org.jspecify.annotations.NullMarked;
