package dev.stagesim.sim.serving.policy;

/** A request of an engine that sends or receives KV caches. */
public sealed interface KvRequest permits LiveRequest, SglangRequest {
    /** Returns the number of the request in the trace. */
    int number();
}
