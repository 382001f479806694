/**
 * Binds the resolved configuration tree to immutable settings records, and converts records back. The records define
 * every key.
 */
@NullMarked
package dev.stagesim.config.bind;

import org.jspecify.annotations.NullMarked;
