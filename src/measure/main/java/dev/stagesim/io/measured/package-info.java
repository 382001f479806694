/**
 * Measurements of real systems in one model, and the checks that all formats share. Each format is a class in a package
 * below this one.
 */
@NullMarked
package dev.stagesim.io.measured;

import org.jspecify.annotations.NullMarked;
