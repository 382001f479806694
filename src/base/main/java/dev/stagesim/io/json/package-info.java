/** JSON codecs: canonical writing, located errors on reading. */
@NullMarked
package dev.stagesim.io.json;

import org.jspecify.annotations.NullMarked;
