/** Recorded placements of DeepSeek's expert-parallel load balancer. */
@NullMarked
package dev.stagesim.verify.eplb;

import org.jspecify.annotations.NullMarked;
