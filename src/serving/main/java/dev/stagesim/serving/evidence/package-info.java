/** Sources of predicted times: tables and models of operators, and errors against published measurements. */
@NullMarked
package dev.stagesim.serving.evidence;

import org.jspecify.annotations.NullMarked;
