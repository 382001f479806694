package dev.stagesim.sim.serving.memory;

import dev.stagesim.model.NamedConstant;

/** Versions of SGLang's scheduler, and the rules by which they differ. */
public enum SglangRules implements NamedConstant {
    /** SGLang of August 2026. */
    V0_5("0.5"),
    /** SGLang 0.5.23, of November 2026. */
    V0_5_23("0.5.23");

    /** The rules of the newest version. */
    public static final SglangRules NEWEST = V0_5_23;

    private final String id;

    SglangRules(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    /** Returns true if this version follows a rule. */
    public boolean has(SglangRule rule) {
        return compareTo(rule.since()) >= 0;
    }
}
