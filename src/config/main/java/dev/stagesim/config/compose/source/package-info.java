/** Sources of configs: directories, trees in memory and their groups. */
@NullMarked
package dev.stagesim.config.compose.source;

import org.jspecify.annotations.NullMarked;
