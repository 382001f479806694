/** The contract between a stage and the pipeline that runs it; knows neither registry nor launchers. */
@NullMarked
package dev.stagesim.stage;

import org.jspecify.annotations.NullMarked;
