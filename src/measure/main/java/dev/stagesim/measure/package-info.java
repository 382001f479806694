/** Configuration of measurements, of calibration and of comparisons. */
@NullMarked
package dev.stagesim.measure;

import org.jspecify.annotations.NullMarked;
