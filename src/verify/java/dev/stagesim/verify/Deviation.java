package dev.stagesim.verify;

/**
 * A documented rule by which we differ from a peer on purpose.
 *
 * @param rule short name in kebab case
 * @param spec where the rule is documented
 * @param behaviour what we do instead, one sentence; a case counts as passed only when this was checked
 */
public record Deviation(String rule, String spec, String behaviour) {}
