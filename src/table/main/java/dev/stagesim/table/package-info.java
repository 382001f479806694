/** Queries on tables of runs, for the command line and for JVM programs, implemented with Tablesaw. */
@NullMarked
package dev.stagesim.table;

import org.jspecify.annotations.NullMarked;
