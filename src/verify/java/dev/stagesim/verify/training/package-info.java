/** Replays of training estimates: the planners of others figure by figure, and our own pipeline timelines. */
@NullMarked
package dev.stagesim.verify.training;

import org.jspecify.annotations.NullMarked;
