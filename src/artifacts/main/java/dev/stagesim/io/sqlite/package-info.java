/** Reads tables of SQLite databases that profilers write, in row order and without queries. */
@NullMarked
package dev.stagesim.io.sqlite;

import org.jspecify.annotations.NullMarked;
