/** Settings of networks, as users give them. */
@NullMarked
package dev.stagesim.network;

import org.jspecify.annotations.NullMarked;
