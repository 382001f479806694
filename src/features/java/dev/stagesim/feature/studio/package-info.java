/** The application that shows runs in a browser: a server on this machine alone, an index of the runs, and its pages. */
@NullMarked
package dev.stagesim.feature.studio;

import org.jspecify.annotations.NullMarked;
