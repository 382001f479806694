/** Interfaces of a corpus of measurements: the cards for its rows, and the report of its errors. */
@NullMarked
package dev.stagesim.verify.fidelity.corpus;

import org.jspecify.annotations.NullMarked;
