/** Least squares on polynomial features. */
@NullMarked
package dev.stagesim.predict.linear;

import org.jspecify.annotations.NullMarked;
