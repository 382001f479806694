/** Logs and metrics that serving engines write. */
@NullMarked
package dev.stagesim.io.measured.engine;

import org.jspecify.annotations.NullMarked;
