/** The stage {@code real_bench}: measurements of real systems, read from what benchmark tools leave behind. */
@NullMarked
package dev.stagesim.stage.realbench;

import org.jspecify.annotations.NullMarked;
