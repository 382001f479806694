/** Stagesim: describe a GPU/LLM workload, measure it, simulate it and compare the two. */
@org.jspecify.annotations.NullMarked
package dev.stagesim;
