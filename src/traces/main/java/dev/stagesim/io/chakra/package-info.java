/** Files of Chakra execution traces: length-prefixed protobuf messages, read and written as streams. */
@NullMarked
package dev.stagesim.io.chakra;

import org.jspecify.annotations.NullMarked;
