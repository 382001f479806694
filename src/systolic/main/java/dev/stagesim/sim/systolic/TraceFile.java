package dev.stagesim.sim.systolic;

/** Trace files of a layer. */
public enum TraceFile {
    IFMAP_SRAM,
    FILTER_SRAM,
    OFMAP_SRAM,
    IFMAP_DRAM,
    FILTER_DRAM,
    OFMAP_DRAM;

    public String fileName() {
        return name() + "_TRACE.csv";
    }
}
