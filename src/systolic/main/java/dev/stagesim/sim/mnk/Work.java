package dev.stagesim.sim.mnk;

/** Equal products that a processor computes in one pass. */
public record Work(Gemm gemm, long count) {
    /** Multiply-accumulates of all of them. */
    public long macs() {
        return Math.multiplyExact(Math.multiplyExact((long) gemm.m() * gemm.k(), gemm.n()), count);
    }

    /** Values of the operands and results of all of them. */
    public long values() {
        long one = (long) gemm.m() * gemm.k() + (long) gemm.k() * gemm.n() + (long) gemm.m() * gemm.n();
        return Math.multiplyExact(one, count);
    }
}
