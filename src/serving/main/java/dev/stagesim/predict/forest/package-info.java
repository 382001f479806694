/** Regression forests that reproduce scikit-learn draw by draw and sum by sum. */
@NullMarked
package dev.stagesim.predict.forest;

import org.jspecify.annotations.NullMarked;
