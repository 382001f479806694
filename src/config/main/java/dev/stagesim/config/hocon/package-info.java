/** Reads HOCON and JSON files into the ordered tree, with the file and line of every leaf. */
@NullMarked
package dev.stagesim.config.hocon;

import org.jspecify.annotations.NullMarked;
