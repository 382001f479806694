/** The command line: picocli commands, console and exit codes; the only place that touches the process's streams. */
@NullMarked
package dev.stagesim.cli;

import org.jspecify.annotations.NullMarked;
