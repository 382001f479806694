/** Settings of m/n/k workloads, as users give them. */
@NullMarked
package dev.stagesim.systolic;

import org.jspecify.annotations.NullMarked;
