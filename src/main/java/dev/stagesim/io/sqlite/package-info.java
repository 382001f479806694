/** Reads tables of SQLite databases, as far as profilers write them: rows of tables in the order of their numbers, no queries. */
@NullMarked
package dev.stagesim.io.sqlite;

import org.jspecify.annotations.NullMarked;
