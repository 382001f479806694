/** The studio displays runs in a browser: a local server, an index of the runs, and its pages. */
@NullMarked
package dev.stagesim.feature.studio;

import org.jspecify.annotations.NullMarked;
