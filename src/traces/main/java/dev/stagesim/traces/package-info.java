/** Settings and folders of execution traces, and the groups of their ranks. */
@NullMarked
package dev.stagesim.traces;

import org.jspecify.annotations.NullMarked;
