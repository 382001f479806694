/** The command line: picocli commands, console and exit codes. Only this package uses the streams of the process. */
@NullMarked
package dev.stagesim.cli;

import org.jspecify.annotations.NullMarked;
