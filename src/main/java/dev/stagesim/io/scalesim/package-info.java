/** Array descriptions, topology and layout tables, and reports in the formats of SCALE-Sim. */
@NullMarked
package dev.stagesim.io.scalesim;

import org.jspecify.annotations.NullMarked;
