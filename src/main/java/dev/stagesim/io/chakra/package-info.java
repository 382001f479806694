/** Files of Chakra execution traces: length-prefixed protobuf messages, read and written as a stream. */
@NullMarked
package dev.stagesim.io.chakra;

import org.jspecify.annotations.NullMarked;
