package dev.stagesim.sim.mnk;

/** The passes of a training step, in the order of the workload's columns. */
public enum Pass {
    FORWARD("fwd_pass"),
    INPUT_GRADIENT("inp_grad"),
    WEIGHT_GRADIENT("weight_grad");

    private final String fileName;

    Pass(String fileName) {
        this.fileName = fileName;
    }

    /** Returns the end of the names of the pass's files. */
    public String fileName() {
        return fileName;
    }
}
