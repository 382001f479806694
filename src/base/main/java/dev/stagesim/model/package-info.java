/** Immutable domain records, units and the user-facing error type. Depends on no other package. */
@NullMarked
package dev.stagesim.model;

import org.jspecify.annotations.NullMarked;
