package dev.stagesim.sim.systolic.spec;

/**
 * Traffic of one operand.
 *
 * @param sram traffic between the array and the on-chip memory
 * @param dram traffic between the on-chip memory and DRAM
 */
public record OperandTraffic(TrafficSpan sram, TrafficSpan dram) {}
