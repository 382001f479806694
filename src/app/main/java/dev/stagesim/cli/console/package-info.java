/** Terminal, exit codes and options that all commands share. */
@NullMarked
package dev.stagesim.cli.console;

import org.jspecify.annotations.NullMarked;
