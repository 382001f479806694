package dev.stagesim.sim.systolic.spec;

/**
 * Storage of sparse filters, in words.
 *
 * @param original size of the dense filters
 * @param stored kept weights and metadata
 * @param metadata size of the metadata
 * @param kept weights kept in all filters, without padding
 * @param isWhole true if the format stores whole words only
 */
public record SparseStorageSize(long original, double stored, double metadata, long kept, boolean isWhole) {}
