package dev.stagesim.feature.pytorch.trace;

/**
 * An operator recorded on the host by PyTorch's observer.
 *
 * @param id id within the trace, ascending in call order
 * @param parent caller; {@link OpFacts#NONE} if unknown
 * @param name name of the operator or annotation
 * @param facts recorded facts
 * @param text its JSON text
 */
public record HostOp(long id, long parent, String name, OpFacts facts, OpText text) {}
