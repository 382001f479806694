/**
 * Stages from Java: compose, run, read and compare.
 *
 * <p>What is public here stays as it is from one version to the next; other packages may change.
 */
@NullMarked
package dev.stagesim.api;

import org.jspecify.annotations.NullMarked;
