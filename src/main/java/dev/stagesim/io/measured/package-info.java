/**
 * Measurements of real systems as benchmark tools leave them behind, read into one shape: a class for each format, found by
 * content.
 */
@NullMarked
package dev.stagesim.io.measured;

import org.jspecify.annotations.NullMarked;
