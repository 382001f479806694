package dev.stagesim.config.grammar;

/** The right side of an override, or an element of it: a scalar, a container, or a sweep over values. */
public sealed interface Value permits Scalar, ListValue, DictValue, Sweep {}
