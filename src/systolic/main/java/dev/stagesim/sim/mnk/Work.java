package dev.stagesim.sim.mnk;

/** Equal products that a processor computes in one pass. */
public record Work(Gemm gemm, long count) {
    /** Returns the multiply-accumulate operations of all products. */
    public long macs() {
        return Math.multiplyExact(Math.multiplyExact((long) gemm.m() * gemm.k(), gemm.n()), count);
    }

    /** Returns the number of operand and result values of all products. */
    public long values() {
        long perProduct = (long) gemm.m() * gemm.k() + (long) gemm.k() * gemm.n() + (long) gemm.m() * gemm.n();
        return Math.multiplyExact(perProduct, count);
    }
}
