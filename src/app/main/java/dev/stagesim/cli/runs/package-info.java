/** Commands that list, show and export runs. */
@NullMarked
package dev.stagesim.cli.runs;

import org.jspecify.annotations.NullMarked;
