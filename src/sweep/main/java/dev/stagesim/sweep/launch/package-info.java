/** Launchers, which run the jobs of a sweep in this process or in others. */
@NullMarked
package dev.stagesim.sweep.launch;

import org.jspecify.annotations.NullMarked;
