/** Tables of runs for people and for other programs on the JVM, by Tablesaw. */
@NullMarked
package dev.stagesim.table;

import org.jspecify.annotations.NullMarked;
