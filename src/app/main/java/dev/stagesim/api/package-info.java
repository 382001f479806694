/**
 * Java interface of the stages: compose, run, read and compare.
 *
 * <p>Public members of this package remain compatible between versions. Other packages may change.
 */
@NullMarked
package dev.stagesim.api;

import org.jspecify.annotations.NullMarked;
