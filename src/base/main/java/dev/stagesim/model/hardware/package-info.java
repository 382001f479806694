/** Cards of devices and engines: peak rates, memory, links, kernels and the overheads of a step. */
@NullMarked
package dev.stagesim.model.hardware;

import org.jspecify.annotations.NullMarked;
