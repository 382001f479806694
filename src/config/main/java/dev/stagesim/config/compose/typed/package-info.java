/** Typed configs in Hydra's manner: values are converted to a field's declared type while configs are merged. */
@NullMarked
package dev.stagesim.config.compose.typed;

import org.jspecify.annotations.NullMarked;
