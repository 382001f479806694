package dev.stagesim.model;

/** How well the figures of a card are supported. */
public enum Confidence {
    HIGH, // Published by the maker or repeated by independent sources.
    MEDIUM, // One source, or sources that differ in a detail.
    LOW // An estimate.
}
