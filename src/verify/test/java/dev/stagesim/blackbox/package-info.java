/** Runs {@code ./stage} in separate processes. */
@NullMarked
package dev.stagesim.blackbox;

import org.jspecify.annotations.NullMarked;
