/** Offline tokenizers. No other package depends on a tokenizer library. */
@NullMarked
package dev.stagesim.io.tokenizer;

import org.jspecify.annotations.NullMarked;
