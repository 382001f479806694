/** Operator-time predictors behind one interface: tables, interpolation, roofline. */
@NullMarked
package dev.stagesim.predict;

import org.jspecify.annotations.NullMarked;
