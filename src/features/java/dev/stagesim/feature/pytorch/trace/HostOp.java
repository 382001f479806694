package dev.stagesim.feature.pytorch.trace;

/**
 * An operator as PyTorch's observer recorded it on the host.
 *
 * @param id identity within the trace, ascending in the order of calls
 * @param parent the caller; {@link OpFacts#NONE} when the trace does not say
 * @param name name of the operator or annotation
 * @param facts what is noted about it
 * @param text its JSON text
 */
public record HostOp(long id, long parent, String name, OpFacts facts, OpText text) {}
