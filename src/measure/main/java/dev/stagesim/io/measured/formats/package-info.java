/** The registry of all measurement formats. */
@NullMarked
package dev.stagesim.io.measured.formats;

import org.jspecify.annotations.NullMarked;
