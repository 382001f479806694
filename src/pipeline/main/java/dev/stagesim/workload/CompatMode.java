package dev.stagesim.workload;

/** The reference that a run reproduces, including behaviour that the default mode corrects. */
public enum CompatMode {
    NONE, // Default behaviour.
    VIDUR, // Exactly the results of Vidur, bugs included.
    ASTRA, // Exactly the results of ASTRA-sim and its workload generator, bugs included.
    CHAKRA // Exactly the results of the Chakra tools, including the data that they drop.
}
