/** Replays of training estimates: planners of other tools value by value, and the product's pipeline timelines. */
@NullMarked
package dev.stagesim.verify.training;

import org.jspecify.annotations.NullMarked;
