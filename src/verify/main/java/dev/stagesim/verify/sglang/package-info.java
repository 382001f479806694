/** Recorded decisions of SGLang's radix cache, schedule policies and gateway tree. */
@NullMarked
package dev.stagesim.verify.sglang;

import org.jspecify.annotations.NullMarked;
