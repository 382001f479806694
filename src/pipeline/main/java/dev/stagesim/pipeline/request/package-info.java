/** Requests for runs: composed configuration, sections, limits of file access, options and plan. */
@NullMarked
package dev.stagesim.pipeline.request;

import org.jspecify.annotations.NullMarked;
