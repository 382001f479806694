/** The registry of all suites. */
@NullMarked
package dev.stagesim.verify.registry;

import org.jspecify.annotations.NullMarked;
