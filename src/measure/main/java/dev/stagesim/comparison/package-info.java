/** The runs that the stage {@code compare} reads: their requests, token gaps and stated facts. */
@NullMarked
package dev.stagesim.comparison;

import org.jspecify.annotations.NullMarked;
