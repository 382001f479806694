package dev.stagesim.sim.mnk;

/** The product of an {@code m x k} and a {@code k x n} matrix. */
public record Gemm(int m, int k, int n) {}
