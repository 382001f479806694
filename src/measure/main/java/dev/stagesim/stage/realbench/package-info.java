/** The stage {@code real_bench}: measurements of real systems, live or from result files of benchmark tools. */
@NullMarked
package dev.stagesim.stage.realbench;

import org.jspecify.annotations.NullMarked;
