/** Runs {@code ./stage} in a process of its own, as a user would. */
@NullMarked
package dev.stagesim.blackbox;

import org.jspecify.annotations.NullMarked;
