/** Input and output in a second thread. */
@NullMarked
package dev.stagesim.io.background;

import org.jspecify.annotations.NullMarked;
