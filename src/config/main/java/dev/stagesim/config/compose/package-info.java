/** Composition: defaults lists, packages, merging and overrides turn config files into one tree. */
@NullMarked
package dev.stagesim.config.compose;

import org.jspecify.annotations.NullMarked;
