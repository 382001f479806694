/** Configuration of a simulated service: engine, predictor, profile, simulation and output. */
@NullMarked
package dev.stagesim.serving.config;

import org.jspecify.annotations.NullMarked;
