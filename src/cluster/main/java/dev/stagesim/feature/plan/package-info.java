/** The stage {@code plan}: finds the cheapest deployment of a served model that meets an SLO at a load. */
@NullMarked
package dev.stagesim.feature.plan;

import org.jspecify.annotations.NullMarked;
