package dev.stagesim.sim.trace.generate;

/** Processors in a circle. */
record Ring(int size) {
    int after(int npu) {
        return (npu + 1) % size;
    }

    int before(int npu) {
        return (npu + size - 1) % size;
    }
}
