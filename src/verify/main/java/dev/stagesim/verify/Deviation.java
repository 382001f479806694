package dev.stagesim.verify;

/**
 * A documented rule by which the product deviates from a reference implementation on purpose.
 *
 * @param rule short name in kebab case
 * @param spec page that documents the rule
 * @param behaviour behaviour of the product, one sentence; a case passes only after this behaviour was checked
 */
public record Deviation(String rule, String spec, String behaviour) {}
