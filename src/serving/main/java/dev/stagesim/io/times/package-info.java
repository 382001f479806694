/** Operator times as files: tables, and a cache of trained predictors. */
@NullMarked
package dev.stagesim.io.times;

import org.jspecify.annotations.NullMarked;
