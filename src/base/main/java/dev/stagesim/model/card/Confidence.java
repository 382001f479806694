package dev.stagesim.model.card;

/** Quality of the sources of a card's values. */
public enum Confidence {
    HIGH, // Published by the maker or repeated by independent sources.
    MEDIUM, // One source, or sources that differ in a detail.
    LOW // An estimate.
}
