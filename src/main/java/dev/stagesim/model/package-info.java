/** Immutable domain records, units and the user-facing error type; depends on nothing. */
@NullMarked
package dev.stagesim.model;

import org.jspecify.annotations.NullMarked;
