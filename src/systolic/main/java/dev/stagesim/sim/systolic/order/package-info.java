/** The order in which a systolic array requests the words of its operands, and in which its memories fetch them. */
@NullMarked
package dev.stagesim.sim.systolic.order;

import org.jspecify.annotations.NullMarked;
