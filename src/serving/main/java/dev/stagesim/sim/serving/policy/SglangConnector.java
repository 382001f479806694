package dev.stagesim.sim.serving.policy;

/** Transfers of KV caches between prefill and decode engines of SGLang. */
public interface SglangConnector {
    /** Returns true for a decode engine, which reserves memory before the prompt is computed elsewhere. */
    boolean isDecode();

    /** A decode engine has reserved the memory of {@code tokens} prompt tokens. */
    void reserved(SglangRequest request, int tokens);

    /** Returns true if a prefill engine keeps the slots of a computed prompt until they have been transferred. */
    boolean keeps(SglangRequest request);
}
