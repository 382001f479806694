package dev.stagesim.sim.systolic;

/**
 * Traffic of one operand.
 *
 * @param sram between the array and the on-chip memory
 * @param dram between the on-chip memory and the outside
 */
public record OperandFigures(Span sram, Span dram) {}
