/** The override grammar: one word of the command line becomes a typed, immutable {@code ConfigOverride}. */
@NullMarked
package dev.stagesim.config.grammar;

import org.jspecify.annotations.NullMarked;
