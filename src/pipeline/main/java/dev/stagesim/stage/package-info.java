/** The contract between stages and the pipeline, independent of registry and launchers. */
@NullMarked
package dev.stagesim.stage;

import org.jspecify.annotations.NullMarked;
