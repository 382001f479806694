/** Commands that run a stage once or as a sweep, with their options, progress and interruption. */
@NullMarked
package dev.stagesim.cli.run;

import org.jspecify.annotations.NullMarked;
