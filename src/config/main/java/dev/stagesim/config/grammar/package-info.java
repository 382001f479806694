/** The override grammar. Converts one command-line argument to a typed, immutable {@code ConfigOverride}. */
@NullMarked
package dev.stagesim.config.grammar;

import org.jspecify.annotations.NullMarked;
