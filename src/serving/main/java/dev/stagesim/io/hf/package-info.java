/** Reads model descriptions of Hugging Face. */
@NullMarked
package dev.stagesim.io.hf;

import org.jspecify.annotations.NullMarked;
