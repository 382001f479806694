/** Input and output in a second thread, in parallel, or in code that may only throw unchecked exceptions. */
@NullMarked
package dev.stagesim.io.background;

import org.jspecify.annotations.NullMarked;
