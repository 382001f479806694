package dev.stagesim.sim.systolic;

/**
 * Storage of sparse filters, in words.
 *
 * @param original dense filters
 * @param stored kept weights and metadata
 * @param metadata metadata alone
 * @param kept weights kept of all filters, without padding
 * @param isWhole whether the format counts whole words
 */
public record SparseFigures(long original, double stored, double metadata, long kept, boolean isWhole) {}
