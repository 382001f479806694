/** Cards of models: validated dimensions and storage formats, and their sources. */
@NullMarked
package dev.stagesim.model.card;

import org.jspecify.annotations.NullMarked;
