/**
 * Dollar-brace interpolation: parses expressions, evaluates them on demand in the final tree, and registers resolvers.
 */
@NullMarked
package dev.stagesim.config.interp;

import org.jspecify.annotations.NullMarked;
