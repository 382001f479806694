/** The stage {@code plan}: the cheapest deployment of a served model that holds a service level at a load. */
@NullMarked
package dev.stagesim.feature.plan;

import org.jspecify.annotations.NullMarked;
