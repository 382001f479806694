/** Tables of simulated requests, tokens and steps. */
@NullMarked
package dev.stagesim.serving.tables;

import org.jspecify.annotations.NullMarked;
