/** Model descriptions as Hugging Face publishes them. */
@NullMarked
package dev.stagesim.io.hf;

import org.jspecify.annotations.NullMarked;
