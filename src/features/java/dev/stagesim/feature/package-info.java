/** What several features use: a copy of a model on devices, with its step times and memory. */
@NullMarked
package dev.stagesim.feature;

import org.jspecify.annotations.NullMarked;
