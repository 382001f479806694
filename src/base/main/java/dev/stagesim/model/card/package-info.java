/** Cards of models, devices and engines: validated dimensions, rates and times, and their sources. */
@NullMarked
package dev.stagesim.model.card;

import org.jspecify.annotations.NullMarked;
