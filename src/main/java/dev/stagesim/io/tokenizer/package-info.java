/** Tokenizers that work offline; the only package that knows a tokenizer library. */
@NullMarked
package dev.stagesim.io.tokenizer;

import org.jspecify.annotations.NullMarked;
