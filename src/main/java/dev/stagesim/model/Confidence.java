package dev.stagesim.model;

/** How well the figures of a card are supported. */
public enum Confidence {
    /** Published by the maker or repeated by independent sources. */
    HIGH,
    /** One source, or sources that differ in a detail. */
    MEDIUM,
    /** An estimate. */
    LOW
}
