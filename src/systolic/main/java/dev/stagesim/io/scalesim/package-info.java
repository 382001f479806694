/** Readers for SCALE-Sim's array descriptions, topology and layout tables, and writers for its reports. */
@NullMarked
package dev.stagesim.io.scalesim;

import org.jspecify.annotations.NullMarked;
